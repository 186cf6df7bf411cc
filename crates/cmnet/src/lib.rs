//! cmnet
