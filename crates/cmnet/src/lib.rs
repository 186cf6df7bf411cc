//! Contextual Markov networks learned from tables of categories by marginal
//! pseudo-likelihood.
//!
//! A contextual Markov network is an undirected graph that says which variables depend
//! directly on each other, and on every edge the *contexts*, values of the common
//! neighbours, in which that dependence vanishes. The method is that of J. Pensar, H. Nyman
//! and J. Corander, *Structure Learning of Contextual Markov Networks using Marginal
//! Pseudo-likelihood*, Scandinavian Journal of Statistics 44 (2017) 455-479, "the paper"
//! throughout these pages.
//!
//! # Learn a model
//!
//! ```
//! use cmnet::{LearnOptions, ReadOptions, Source, learn, read_csv};
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/coronary_heart.csv");
//! # let folder = std::env::temp_dir().join(format!("cmnet-first-page-{}", std::process::id()));
//!
//! let data = read_csv(&Source::from_argument(path), &ReadOptions::default())?.data;
//! let options = LearnOptions::default();
//! let learned = learn(&data, &options, &())?;
//! let best = learned.kept(data.rows()).ok_or("nothing was learned")?;
//! let model = best.to_model(&data, &options, &learned.search)?;
//! assert_eq!(model.structure().graph().edge_count(), 6);
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("heart.json");
//! model.save(&file)?;
//! # assert_eq!(cmnet::Model::load(&file)?, model);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Ask it
//!
//! ```
//! # use cmnet::{LearnOptions, ReadOptions, Source, learn, read_csv};
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/coronary_heart.csv");
//! # let data = read_csv(&Source::from_argument(path), &ReadOptions::default())?.data;
//! # let options = LearnOptions::default();
//! # let learned = learn(&data, &options, &())?;
//! # let best = learned.kept(data.rows()).ok_or("nothing was learned")?;
//! # let model = best.to_model(&data, &options, &learned.search)?;
//! let answer = model.query()?.given("strenuous_mental_work=yes")?.target("smoking")?.run()?;
//! let (_, probabilities) = &answer.marginals[0];
//! assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Bring a source of counts
//!
//! Everything that learns reads counts only. [`CountSource`] shows a table of published counts
//! as a source of three functions, and learns from it.
//!
//! # Notation
//!
//! | paper | here |
//! |---|---|
//! | X_j, outcomes 0..r_j-1 | [`Variable`], [`Var`] |
//! | X_S, the joint outcome space | [`OutcomeSpace`], a configuration is a [`Cell`] |
//! | G = (V, E), {i, j} | [`Graph`], [`Edge`] |
//! | mb(j), cn(i,j) | [`Graph::markov_blanket`], [`Graph::common_neighbors`] |
//! | C(i,j) | [`EdgeContext`], drawn as a [`Label`] |
//! | (G, C) | [`Structure`] |

mod confidence;
mod context;
mod control;
mod counts;
mod data;
mod discretize;
mod error;
mod evaluate;
mod graph;
mod groups;
mod inference;
mod io;
mod learn;
mod loglinear;
mod missing;
mod mixture;
mod model;
pub mod options;
mod precision;
mod refine;
mod score;
mod search;
mod structure;
mod table;
mod task;
mod tree;
mod widest;

// Tables.
pub use data::{
    BinRule, Bins, Codes, CutColumn, Cuts, DataDigest, Dataset, Fold, FoldPlan, Folds, IncompleteTable,
    Intake, Levels, ListedLevels, LoadedIncomplete, LoadedTable, LoadedWeighted, MAX_LEVELS, MAX_ROWS,
    MeasuredColumn, MissingPattern, OnMissing, OnUnknown, RawIncomplete, RawTable, RowLevels, Schema, Survey,
    Surveyed, UNNAMED_TABLE, Var, Variable, Warning, WeightKind, WeightedTable, Weighting, collapse,
    mix_seed, quoted_names,
};
// Structures.
pub use context::{EdgeContext, Label, Symbol};
pub use graph::{Edge, Graph, VarSet, components, decompose, is_chordal, maximal_cliques};
pub use structure::Structure;
// Learning.
pub use learn::{
    Backbone, ByRows, Chosen, CompletedStructure, CompletedTable, CompletionRound, ContextChoice,
    ContextsBic, ContextsChosen, Criterion, CrossValidated, CrossValidation, FirstLearning, FitControl,
    FixedOnly, FoldNumbers, FoldResult, FoldState, Judged, LearnEvent, LearnObserver, LearnOptions,
    LearnState, Learned, LearnedModel, LeftOut, ModelClass, Refine, Refinement, Replicate, RunFact,
    SearchMode, SearchReason, Select, StructureBic, TargetModel, Tried, Tune, Tuned, cross_validate,
    cross_validate_from, cross_validate_weighted, learn, learn_counts, learn_from, learn_weighted,
    parse_bytes, parse_duration, run_identity, tune,
};
// Mixtures.
pub use mixture::{
    ClassChances, ClassEdge, Component, ComponentCount, LearnedMixture, Mixture, MixtureAnswer, MixtureFit,
    MixtureMaximum, MixtureNetwork, MixtureOptions, MixturePredictor, MixtureSampler, TriedComponents,
    class_edges, learn_mixture,
};
// Confidence.
pub use confidence::{
    Agreement, BayesFactor, Bootstrap, BootstrapOptions, BootstrapState, Chance, CompletedLearning,
    CompletionOptions, CompletionState, Drawn, EdgePosterior, EdgeSupport, ElementPosterior, ElementSupport,
    Ensemble, EnsembleAnswer, EnsembleConsensus, EnsembleEvaluation, EnsembleNetwork, EnsembleObserved,
    EnsemblePrediction, EnsemblePredictor, Frequency, KappaChoice, KappaCount, Member, Moves,
    PosteriorOptions, ReplicateStart, Resample, Similarity, Spread, Stability, StabilityPoint,
    StructurePosterior, Verdict, bootstrap, bootstrap_from, bootstrap_identity, bootstrap_weighted,
    completion_identity, learn_incomplete, learn_incomplete_from, stability, structure_posterior,
};
pub use discretize::{CutSearch, cut_by_graph, cut_incomplete_by_graph};
pub use groups::{
    GroupComparison, GroupNames, GroupOptions, Grouping, PairInGroup, PairOfGroups, compare_groups,
    group_knowledge, vanishes_in_group,
};
pub use search::{BlanketLimits, CandidateRule, SearchEvent, SearchObserver, SearchUsed};
// Tasks.
pub use task::{Findings, Job, Shard, Task};
// Parameters.
pub use loglinear::{
    Estimate, Fit, FitMethod, FitOptions, FitReason, FitStatus, Order, Parameters, Restriction, Ridge, Term,
    TermSet, Terms, affordable_canonical, canonical, canonical_under, check_smoothing, fit, fit_with,
    is_nested, largest_violation, parameter_count, parameter_count_of, parameter_count_under, restrictions,
    same_model,
};
// Precision.
pub use precision::{
    EdgeEffect, ElementEffect, PairEffect, Precision, Quantity, ScoreTest, Wald, chi_square_tail, score_tests,
};
// Models and questions.
pub use evaluate::{
    ContextElement, Deviance, Difference, Evaluation, LikelihoodRatio, ObservedEvaluation, deviance,
    difference, difference_under, divergence, divergence_from_table, divergence_under, evaluate,
    evaluate_incomplete, evaluate_under, likelihood_ratio,
};
pub use inference::{
    Approximation, Belief, BeliefOptions, Climb, ClimbOptions, Completion, Conditioned, EdgeStrength,
    Evidence, ExactOptions, Explanation, Factors, Gibbs, GibbsOptions, Independence, IndependenceQuestion,
    IndependentCase, InferenceMethod, Joint, JointAnswer, MapAnswer, MarginalAnswer, Network, OpenPath,
    Posterior, Prediction, Predictor, Query, QueryMethod, QueryOptions, QueryPlan, Question, Sampler,
    Separation, Session, Start, cut_edges, find_level, find_variable, find_variables, independent,
};
pub use missing::{Fill, Imputer, IncompleteFit, MissingTest, fit_incomplete, missing_tests};
pub use model::{Confirmed, Model, Provenance, RefinedScore, Support};
// Files.
pub use io::{
    AnyModel, CheckpointPace, CheckpointedRun, Checkpointer, Clock, Columns, ContextRecord, LevelOrder,
    OpenedCheckpoint, Part, PartFile, ReadOptions, Source, VariableRecord, check_writable, checkpoint_files,
    context_records, edge_names, json_to_text, uai, variable_records, write_atomic, write_atomic_with,
    write_json,
};
#[cfg(feature = "parquet")]
pub use io::{ArrowCells, ArrowLabels};
#[cfg(feature = "csv")]
pub use io::{
    CodedRow, csv_field, parse_delimiter, read_csv, read_csv_from, read_incomplete, read_weighted,
    survey_csv, visit_rows,
};
// Stopping, and errors as facts.
pub use control::{Control, Outcome, StopReason, Under};
pub use error::{
    Action, CheckpointProblem, Choice, ChoiceWord, Dialect, Error, ErrorKind, Expected, InputProblem,
    LimitReached, MissingValues, OptionName, Place, Plain, Remedies, Remedy, Result, RowDoubt,
    StructureProblem, Subject, Unfitted, WeightDoubt, nearest, quoted, quoted_bytes, quoted_list,
};
// Parts that another program may replace, measure or examine.
pub use counts::{
    Count, CountSource, CountedTable, FamilyCounts, MarginCounts, PlaneCounts, RowCounts, ShardedCounts,
    WeightedCounts,
};
pub use graph::{Blankets, Decomposition, DisjointSets, Toggled, perfect_elimination_order};
pub use loglinear::{Coordinates, Enumeration, Evaluator, Likelihood, LikelihoodValue, RIDGE, Ratio};
pub use refine::{RefineOptions, RefineStep, Refined, conditional_bic, refine};
pub use score::{
    Alpha, BlanketPartition, ContextPrior, EdgePattern, EdgePrior, EdgeProbability, EdgeRules, IntegerLogs,
    Kappa, Knowledge, LocalScore, Nats, Scorer, StructureScore,
};
pub use search::{
    BlanketSearch, BlanketState, ClimbRecord, ClimbResult, DecomposableGraph, DecomposableOptions,
    GraphClimb, GraphClimbState, GraphStep, Optimum, Rounds, Standing, climb_contexts, climb_graph,
    decomposable_graph, optimum,
};
pub use table::{Cell, OutcomeSpace, Projection, Shape, Walk};
pub use tree::{
    Clique, Elimination, EliminationChoice, EliminationRule, JunctionTree, Propagation, TreeCost, eliminate,
};
