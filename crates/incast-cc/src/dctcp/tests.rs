//! DCTCP against values worked by hand, each form in a file.

mod rate;
mod window;
