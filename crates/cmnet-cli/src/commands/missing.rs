//! What is said about the missing values of a table.

use crate::output;
use cmnet::IncompleteTable;
use cmnet_report::answer::MissingAnswer;

/// Says on standard error what is missing, what is assumed, and where missingness goes along with
/// other values.
pub(crate) fn tell(file: &str, table: &IncompleteTable) {
    let Some(missing) = MissingAnswer::with_names(table, &output::printable(table.schema())) else { return };
    let [shares, patterns] = missing.facts();
    output::note(&format!("{file}: {shares}"));
    output::note(&patterns);
    output::note(&missing.assumption_in_words());
    for warning in missing.warnings() {
        output::note(&format!("warning: {warning}"));
    }
}
