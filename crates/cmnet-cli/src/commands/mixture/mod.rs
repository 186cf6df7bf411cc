//! What commands do with a mixture of networks.

pub(crate) mod compare;
pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod predict;
pub(crate) mod query;
pub(crate) mod sample;

use super::asking;
use crate::ask_args::{MethodArgs, TreeArgs};
use cmnet::{Error, Mixture, OptionName, QueryMethod, Schema};
use std::fmt::Write as _;

/// Refuses methods that are not exact.
fn check_method(arguments: &MethodArgs) -> anyhow::Result<()> {
    match arguments.method {
        QueryMethod::Auto | QueryMethod::Exact => Ok(()),
        QueryMethod::Gibbs | QueryMethod::Belief => {
            let expected = "exact or auto: the networks of a mixture are exact";
            Err(Error::option(OptionName::Method, arguments.method.to_string(), expected).into())
        }
    }
}

/// Says what will be done.
fn announce(arguments: &TreeArgs, mixture: &Mixture) {
    let classes = mixture.components().len();
    asking::announce(arguments, &format!("exact: the mixture of the answers of {classes} networks"));
}

/// ` given a = x`, where something is.
fn given(schema: &Schema, evidence: &cmnet::Evidence) -> String {
    match asking::given_text(schema, evidence) {
        given if given.is_empty() => String::new(),
        given => format!(" given {given}"),
    }
}

/// The chance of each class, a line each.
fn chances(chances: &[f64]) -> String {
    let mut text = String::new();
    for (class, chance) in (1..).zip(chances) {
        let _ = writeln!(text, "  class {class}  {chance:.6}");
    }
    text
}
