//! DCTCP against hand-computed values, one file for each form.

mod rate;
mod window;
