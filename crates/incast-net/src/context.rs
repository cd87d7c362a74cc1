//! What the engine gives to a node of this network.

use incast_engine::Context;

use crate::packet::Packet;
use crate::recorder::Recorder;

/// An engine's context that carries packets and a recorder.
pub(crate) trait NetContext<const WORDS: usize>:
    Context<Message = Packet<WORDS>, Local = Recorder>
{
}

impl<const WORDS: usize, C: Context<Message = Packet<WORDS>, Local = Recorder>> NetContext<WORDS>
    for C
{
}
