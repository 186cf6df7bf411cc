"""The estimators keep scikit-learn's contract."""

import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import cmnet
from cmnet.sklearn import CMNClassifier, CMNDensity

# Checks that cannot apply to an estimator of categories, each with its reason.
NOT_APPLICABLE: dict[str, str] = {
    "check_sample_weight_equivalence_on_dense_data": "its features have decimals; test_weights_count_rows does it",
    "check_classifiers_one_label_sample_weights": "its features have decimals; test_one_class_by_weights does it",
}


def expected_failed_checks(estimator):
    return NOT_APPLICABLE


QUICK = {"kappa": ("eps", "n^-0.5"), "search": "paper", "threads": 1}


@parametrize_with_checks(
    [CMNClassifier(**QUICK), CMNDensity(**QUICK)], expected_failed_checks=expected_failed_checks
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cars():
    frame = cmnet.datasets.load("car").to_pandas()
    target = frame.columns[-1]
    return frame.drop(columns=target), frame[target].astype(str)


def test_classifier_predicts_as_the_model_does(cars):
    X, y = cars
    classifier = CMNClassifier().fit(X, y)
    assert list(classifier.classes_) == sorted(set(y))
    proba = classifier.predict_proba(X)
    assert proba.shape == (len(X), 4) and np.allclose(proba.sum(axis=1), 1)
    assert (classifier.predict(X) == classifier.classes_[proba.argmax(axis=1)]).all()
    assert classifier.score(X, y) > 0.85
    assert isinstance(classifier.model_, cmnet.Model) and isinstance(classifier.learned_, cmnet.Learned)
    again = pickle.loads(pickle.dumps(classifier))
    assert (again.predict(X) == classifier.predict(X)).all()


def test_frames_arrays_and_polars_give_the_same_predictions(cars):
    X, y = cars
    expected = CMNClassifier(kappa="n^-0.5").fit(X, y).predict_proba(X)
    codes = OrdinalEncoder(categories=[list(X[name].cat.categories) for name in X]).fit_transform(X)
    assert np.array_equal(CMNClassifier(kappa="n^-0.5").fit(codes, y).predict_proba(codes), expected)
    enums = polars.DataFrame({n: polars.Series(n, list(X[n]), dtype=polars.Enum(list(X[n].cat.categories))) for n in X})
    assert np.array_equal(CMNClassifier(kappa="n^-0.5").fit(enums, y).predict_proba(enums), expected)


def test_parameters_clone_and_search(cars):
    X, y = cars
    classifier = CMNClassifier(kappa="n^-0.5", smoothing=2.0)
    twin = clone(classifier)
    assert twin.get_params() == classifier.get_params() and twin is not classifier
    search = GridSearchCV(CMNClassifier(threads=1), {"kappa": ["eps", "n^-1", "n^-0.5"]}, cv=3).fit(X, y)
    assert search.best_params_["kappa"] in ("eps", "n^-1", "n^-0.5")
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    density = GridSearchCV(CMNDensity(threads=1), {"kappa": ["eps", "n^-0.5"]}, cv=3).fit(X)
    assert np.isfinite(density.cv_results_["mean_test_score"]).all()


def test_pipelines_bin_measurements():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"), CMNClassifier(kappa="n^-0.5"))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    for X in (X, pandas.DataFrame(X)):
        with pytest.raises(ValueError, match="KBinsDiscretizer"):
            CMNClassifier().fit(X, y)


def test_unknown_levels_are_summed_out_or_refused(cars):
    X, y = cars
    codes = X.apply(lambda column: column.cat.codes).to_numpy()
    strange = codes[:3].copy()
    strange[0, 0] = 99
    lenient = CMNClassifier(kappa="n^-0.5").fit(codes, y)
    assert np.allclose(lenient.predict_proba(strange).sum(axis=1), 1)
    with pytest.raises(cmnet.UnknownLevelError):
        CMNClassifier(kappa="n^-0.5", handle_unknown="error").fit(codes, y).predict(strange)
    assert CMNDensity(kappa="eps").fit(codes).score_samples(strange)[0] == -np.inf


def test_given_categories_are_levels(cars):
    codes = np.array([[0, 0], [1, 1]] * 30)
    density = CMNDensity(categories=[[0, 1, 2], [0, 1]]).fit(codes)
    assert density.model_.levels == {"X1": ["0", "1", "2"], "X2": ["0", "1"]}
    assert np.isfinite(density.score_samples([[2, 0]])).all()
    with pytest.raises(ValueError, match="categories"):
        CMNDensity(categories=[[0, 1]]).fit(codes)


def test_density_is_that_of_the_model(cars):
    X, _ = cars
    density = CMNDensity(kappa="n^-0.5").fit(X)
    assert np.array_equal(density.score_samples(X), density.model_.log_prob(X))
    assert density.score(X) == pytest.approx(density.score_samples(X).mean())
    rows = density.sample(20, random_state=0)
    assert rows.shape == (20, 6) and (rows == density.sample(20, random_state=0)).all()


@pytest.fixture(scope="module")
def texts(cars):
    X, y = cars
    return X.astype(str), y


def test_columns_go_by_place_whatever_their_names(texts):
    X, y = texts
    numbered = X.set_axis(range(6), axis=1)
    fitted = CMNClassifier(kappa="n^-0.5").fit(numbered, y)
    expected = CMNClassifier(kappa="n^-0.5").fit(X, y).predict_proba(X)
    assert np.array_equal(fitted.predict_proba(numbered), expected)
    assert np.array_equal(fitted.predict_proba(X.set_axis(range(1, 7), axis=1)), expected)
    assert np.array_equal(fitted.predict_proba(X.to_numpy()), expected)
    with pytest.raises(ValueError, match="twice|unique"):
        CMNClassifier().fit(X.set_axis([0, 0, 1, 2, 3, 4], axis=1), y)


def test_frames_and_arrays_follow_each_other_as_scikit_learn_has_it(texts):
    X, y = texts
    by_name = CMNClassifier(kappa="n^-0.5").fit(X, y)
    expected = by_name.predict_proba(X)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(by_name.predict_proba(X.to_numpy()), expected)
    by_place = CMNClassifier(kappa="n^-0.5").fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="has feature names, but"):
        assert np.array_equal(by_place.predict_proba(X), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        by_name.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature"):
        by_name.predict(X.drop(columns="safety"))
    density = CMNDensity(kappa="eps").fit(X)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(density.score_samples(X.to_numpy()), density.score_samples(X))


def test_frames_of_every_package_and_whole_floats_work(cars, texts):
    X, y = texts
    expected = CMNClassifier(kappa="n^-0.5").fit(X, y).predict_proba(X)
    for table in (polars.from_pandas(X), pyarrow.Table.from_pandas(X)):
        assert np.array_equal(CMNClassifier(kappa="n^-0.5").fit(table, y).predict_proba(table), expected)
    codes = cars[0].apply(lambda column: column.cat.codes).astype(float)
    whole = CMNDensity(kappa="n^-0.5").fit(codes.to_numpy())
    for table in (codes, polars.from_pandas(codes), pyarrow.Table.from_pandas(codes), codes.astype("Float64")):
        fitted = CMNDensity(kappa="n^-0.5").fit(table)
        assert list(fitted.model_.levels.values()) == list(whole.model_.levels.values())
        assert np.array_equal(fitted.score_samples(table), whole.score_samples(codes.to_numpy()))
        with pytest.raises(ValueError, match="KBinsDiscretizer"):
            CMNDensity().fit(polars.from_pandas(codes + 0.5))


def test_numbers_too_large_to_be_whole_are_refused():
    table = np.array([[1e19, 0], [2e19, 1]] * 20)
    for table in (table, pandas.DataFrame(table, columns=["a", "b"]), polars.DataFrame({"a": table[:, 0], "b": table[:, 1]})):
        with pytest.raises(ValueError, match="too large"):
            CMNDensity(kappa="eps").fit(table)


def test_unusable_options_of_estimators_are_refused(cars):
    X, y = cars
    for estimator in (CMNClassifier(handle_unknown="bogus"), CMNDensity(handle_unknown="ignore")):
        with pytest.raises(ValueError, match="handle_unknown"):
            estimator.fit(X, y)


def test_structures_that_cannot_be_fitted_are_a_typed_complaint():
    ids = pandas.DataFrame({"a": [str(row % 200) for row in range(2000)]})
    ids["b"] = ids["a"]
    for kappa in (["eps", "n^-0.5"], "eps"):
        with pytest.raises(cmnet.LimitError, match="no structure could be fitted: .*memory"):
            CMNDensity(method="exact", memory="1M", kappa=kappa).fit(ids)


def test_missing_values_are_no_unknown_levels(cars):
    X, _ = cars
    density = CMNDensity(kappa="eps").fit(X)
    odd = X.astype(object).copy()
    odd.iloc[0, 0] = "never seen"
    assert density.score_samples(odd)[0] == -np.inf and np.isfinite(density.score_samples(odd)[1:]).all()
    odd.iloc[0, 0] = None
    for unknown in ("missing", "error"):
        with pytest.raises(ValueError, match="missing"):
            density.set_params(handle_unknown=unknown).score_samples(odd)


def test_the_model_of_a_classifier_has_its_classes_and_their_name(cars):
    X, y = cars
    model = CMNClassifier(kappa="n^-0.5").fit(X, y).model_
    assert model.names == [*X.columns, "acceptability"] and model.levels["acceptability"] == sorted(set(y))
    answer = model.query({"safety": "low"}, "acceptability")["acceptability"]
    assert answer["unacc"] == max(answer.values())
    for classes, levels in ([10, 9, 2], ["2", "9", "10"]), ([1.0, 0.0, 3.0], ["0", "1", "3"]), ([True, False], ["false", "true"]):
        codes = np.arange(len(y)) % len(classes)
        numbers = CMNClassifier(kappa="eps").fit(X.to_numpy(), np.array(classes)[codes])
        assert numbers.model_.levels["class"] == levels
        assert set(numbers.predict(X.to_numpy())) <= set(classes)
    # Labels that would not stay as they are become numbers.
    odd = CMNClassifier(kappa="eps").fit(X, np.array([" a", "a"])[np.arange(len(y)) % 2])
    assert odd.model_.levels["class"] == ["0", "1"] and set(odd.predict(X)) <= {" a", "a"}
    taken = CMNClassifier(kappa="eps").fit(X, y.rename("safety"))
    assert taken.model_.names[-1] == "safety_"


def test_weights_count_rows(cars):
    X, y = cars
    random = np.random.default_rng(3)
    weights = random.integers(0, 4, len(y))
    places = np.repeat(np.arange(len(y)), weights)
    texts = X.astype(str)
    for table, take in (
        (X, lambda table: table.iloc[places]),
        (texts.to_numpy(), lambda table: table[places]),
        (polars.from_pandas(texts), lambda table: table[places]),
        (pyarrow.Table.from_pandas(texts), lambda table: table.take(places)),
    ):
        weighted = CMNClassifier(kappa="n^-0.5").fit(table, y, sample_weight=weights)
        assert weighted.model_ == CMNClassifier(kappa="n^-0.5").fit(take(table), y.iloc[places]).model_
        assert CMNDensity(kappa="eps").fit(table, sample_weight=weights).model_ == CMNDensity(kappa="eps").fit(take(table)).model_
    for bad, words in (np.full(len(y), 0.5), "whole numbers"), (-weights, "[Nn]egative"), (0 * weights, "zero"):
        with pytest.raises(ValueError, match=words):
            CMNClassifier().fit(X, y, sample_weight=bad)


def test_one_class_by_weights(cars):
    X, y = cars
    fitted = CMNClassifier(kappa="eps").fit(X, y, sample_weight=(y == "acc").astype(int))
    assert set(fitted.predict(X)) == {"acc"}


def test_logarithms_threads_and_bars(cars, capsys):
    X, y = cars
    one = CMNClassifier(kappa="n^-0.5", n_jobs=1).fit(X, y)
    assert np.allclose(np.exp(one.predict_log_proba(X)), one.predict_proba(X))
    for jobs in (2, -1, -1000):
        assert CMNClassifier(kappa="n^-0.5", n_jobs=jobs).fit(X, y).model_ == one.model_
    for jobs in (0, True, "two"):
        with pytest.raises(ValueError, match="n_jobs"):
            CMNClassifier(n_jobs=jobs).fit(X, y)
    capsys.readouterr()
    CMNClassifier(kappa="n^-0.5", verbose=1).fit(X, y)
    assert "cmnet" in capsys.readouterr().err


def test_complaints_about_missing_values_name_no_option_of_others(cars):
    X, y = cars
    holes = X.astype(object)
    holes.iloc[3, 1] = None
    fitted = CMNDensity(kappa="eps").fit(X)
    for call in (lambda: CMNClassifier().fit(holes, y), lambda: CMNDensity().fit(holes), lambda: fitted.score_samples(holes)):
        with pytest.raises(cmnet.MissingValuesError, match="missing values in 1 of 1728 rows .'maint': 1.; impute") as raised:
            call()
        assert raised.value.counts == {"maint": 1} and "on_missing" not in str(raised.value)
