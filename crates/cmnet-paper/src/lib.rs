//! The paper's numerical section, rerun with [`cmnet`]: what it needs and another program does
//! not.
//!
//! | here | what |
//! |---|---|
//! | [`experiment`] | the tables and figures of section 4 beside the published numbers |
//! | [`synthetic`] | the true model of section 4, known cell by cell |
//! | [`generate`] | random structures with contexts and rows drawn from them |
//! | [`sgm`] | decomposable stratified graphical models, the paper's baseline |

pub mod experiment;
pub mod generate;
pub mod sgm;
pub mod synthetic;
