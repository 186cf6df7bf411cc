//! Labels to codes, and the order of levels (specification of the outcome spaces, section 2.1).
