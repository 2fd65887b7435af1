//! The blocks of a message that is being assembled.

use super::{Op, Operation};

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Text,
    Thinking,
    ToolCall,
    Image,
}

/// One block, as far as the assembler has to know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) open: bool,
}

/// Does to the blocks what an operation that was shown has done to them.
pub(super) fn replay(blocks: &mut Vec<Block>, operation: Operation<'_>) {
    let kind = match operation.op {
        Op::TextStart => BlockKind::Text,
        Op::ThinkingStart => BlockKind::Thinking,
        Op::ToolCallStart => BlockKind::ToolCall,
        Op::Image => BlockKind::Image,
        Op::TextEnd | Op::ThinkingEnd | Op::ToolCallEnd => {
            if let Some(block) = blocks.get_mut(operation.block as usize) {
                block.open = false;
            }
            return;
        }
        _ => return,
    };
    let open = kind != BlockKind::Image;
    blocks.push(Block { kind, open });
}
