//! Questions built by names, and models whose parts belong together.

use crate::inference_support::{MIXED, fitted, generator, plain, random_model, random_network, schema};
use cmnet::{Evidence, ExactOptions, InferenceMethod, Model, QueryMethod, Question};

#[test]
fn a_question_by_names_is_the_question_by_numbers() {
    let mut random = generator(541);
    for _ in 0..40 {
        let (model, network) = random_network(&mut random, MIXED);
        let by_names = model.query().unwrap().given("x0=1").unwrap().target("x2,x1").unwrap();
        assert_eq!(by_names.named(), Some(&[2, 1][..]));
        let evidence = Evidence::read(network.schema(), "x0=1").unwrap();
        let by_numbers = network.query().evidence(evidence.clone()).about(&[2, 1]).unwrap();
        assert_eq!(by_names.run().unwrap(), by_numbers.run().unwrap());
        let exact = ExactOptions::default();
        let joint = network.joint_exact(&[2, 1], &evidence, &exact).unwrap();
        assert_eq!(by_names.joint().unwrap().joint, joint);
        let best = network.map_exact(Some(&[2, 1]), &evidence, &exact).unwrap();
        assert_eq!(by_names.map().unwrap().levels, best.levels);
        let all = model.query().unwrap().observe("x0", "1").unwrap();
        assert_eq!(all.variables().unwrap(), (1..network.schema().len()).collect::<Vec<_>>());
        assert_eq!(all.map().unwrap().levels, network.map_exact(None, &evidence, &exact).unwrap().levels);
    }
}

#[test]
fn a_plan_names_the_method_that_then_answers() {
    let mut random = generator(542);
    let network = random_model(&mut random, MIXED).network().unwrap();
    for (method, used) in [
        (QueryMethod::Auto, InferenceMethod::Exact),
        (QueryMethod::Gibbs, InferenceMethod::Gibbs),
        (QueryMethod::Belief, InferenceMethod::Belief),
    ] {
        let query = network.query().target("x0").unwrap().method(method);
        for question in [Question::Marginals, Question::Joint, Question::Map, Question::Rows] {
            assert_eq!(query.plan(question).unwrap().method, used);
        }
        assert_eq!(query.run().unwrap().plan, query.plan(Question::Marginals).unwrap());
        assert_eq!(query.joint().unwrap().plan, query.plan(Question::Joint).unwrap());
        assert_eq!(query.map().unwrap().plan, query.plan(Question::Map).unwrap());
    }
    let tight = network.query().memory(8);
    assert_eq!(tight.plan(Question::Rows).unwrap().method, InferenceMethod::Gibbs);
}

#[test]
fn a_target_is_not_given_and_not_named_twice_in_any_order() {
    let mut random = generator(543);
    let network = random_model(&mut random, MIXED).network().unwrap();
    let first = network.query().given("x0=1").unwrap().target("x0").unwrap_err().to_string();
    let later = network.query().target("x0").unwrap().given("x0=1").unwrap();
    for said in [
        first,
        later.run().unwrap_err().to_string(),
        later.joint().unwrap_err().to_string(),
        later.map().unwrap_err().to_string(),
    ] {
        assert!(said.contains("both a target and given"), "{said}");
    }
    let twice = network.query().target("x1").unwrap().target("x1").unwrap_err().to_string();
    assert!(twice.contains("asked for twice"), "{twice}");
    let unknown = network.query().target("nobody").unwrap_err().to_string();
    assert!(unknown.contains("there is no variable"), "{unknown}");
}

#[test]
fn a_model_whose_parts_disagree_cannot_be_built() {
    let mut random = generator(544);
    let chain = plain(&[2, 2, 3], &[(0, 1), (1, 2)]);
    let said = Model::new(schema(&[2, 2]), chain.clone()).unwrap_err().to_string();
    assert!(said.contains("2 variables have names and the structure has 3"), "{said}");
    let said = Model::new(schema(&[2, 3, 3]), chain.clone()).unwrap_err().to_string();
    assert!(said.contains("has 3 levels by name and 2 in the structure"), "{said}");
    let model = fitted(&mut random, chain);
    let fit = model.fit().unwrap().clone();
    for other in [plain(&[2, 2, 3], &[(0, 1)]), plain(&[2, 2, 3], &[(0, 1), (1, 2), (0, 2)])] {
        let bare = Model::new(schema(&[2, 2, 3]), other).unwrap();
        let said = bare.with_fit(fit.clone()).unwrap_err().to_string();
        assert!(said.contains("those of another structure"), "{said}");
    }
    let network = model.network().unwrap();
    assert!(std::ptr::eq(network.parameters().values(), model.fit().unwrap().parameters.values()));
}
