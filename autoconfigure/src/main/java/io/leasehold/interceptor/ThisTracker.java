package io.leasehold.interceptor;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Visitor that finds the methods that an instance method calls on {@code this}. For each
 * slot of a simulated operand stack, it knows whether {@code this} was pushed there.
 */
final class ThisTracker extends MethodVisitor {

	private final BiConsumer<String, String> calls;

	private BitSet self = new BitSet();

	private int depth;

	private boolean reachable = true;

	private final Map<Label, Stack> targets = new HashMap<>();

	private final Set<Label> handlers = new HashSet<>();

	/** Create a tracker that reports name and descriptor of calls on {@code this}. */
	ThisTracker(BiConsumer<String, String> calls) {
		super(SpringAsmInfo.ASM_VERSION);
		this.calls = calls;
	}

	@Override
	public void visitInsn(int opcode) {
		apply(StackEffects.of(opcode));
		if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN || opcode == Opcodes.ATHROW) {
			this.reachable = false;
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		apply((opcode == Opcodes.NEWARRAY) ? "11" : "01");
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		apply(StackEffects.of(opcode));
		if (opcode == Opcodes.ALOAD && variable == 0) {
			this.self.set(this.depth - 1);
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		if (opcode != Opcodes.CHECKCAST) {
			apply((opcode == Opcodes.NEW) ? "01" : "11");
		}
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> push(size);
			case Opcodes.PUTSTATIC -> pop(size);
			case Opcodes.GETFIELD -> popAndPush(1, size);
			default -> pop(1 + size);
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int popped = (sizes >> 2) - ((opcode == Opcodes.INVOKESTATIC) ? 1 : 0);
		if (opcode != Opcodes.INVOKESTATIC && this.self.get(this.depth - popped)) {
			this.calls.accept(name, descriptor);
		}
		popAndPush(popped, sizes & 3);
	}

	/** A reference such as {@code this::pay} has the receiver as its first argument. */
	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int popped = (sizes >> 2) - 1;
		if (this.self.get(this.depth - popped)) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
					this.calls.accept(handle.getName(), handle.getDesc());
				}
			}
		}
		popAndPush(popped, sizes & 3);
	}

	@Override
	public void visitLdcInsn(Object value) {
		push((value instanceof Long || value instanceof Double) ? 2 : 1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		popAndPush(dimensions, 1);
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		apply(StackEffects.of(opcode));
		jumpTo(label);
		this.reachable &= opcode != Opcodes.GOTO;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
		visitLookupSwitchInsn(otherwise, new int[0], labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
		pop(1);
		jumpTo(otherwise);
		for (Label label : labels) {
			jumpTo(label);
		}
		this.reachable = false;
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		this.handlers.add(handler);
	}

	@Override
	public void visitLabel(Label label) {
		if (this.reachable) {
			return;
		}
		Stack stack = this.targets.get(label);
		this.self = (stack != null) ? (BitSet) stack.self.clone() : new BitSet();
		this.depth = (stack != null) ? stack.depth : this.handlers.contains(label) ? 1 : 0;
		this.reachable = true;
	}

	private void jumpTo(Label label) {
		this.targets.putIfAbsent(label, new Stack((BitSet) this.self.clone(), this.depth));
	}

	/** Apply the numbers of slots that an instruction pops and pushes, a digit each. */
	private void apply(String effect) {
		popAndPush(effect.charAt(0) - '0', effect.charAt(1) - '0');
	}

	private void popAndPush(int popped, int pushed) {
		pop(popped);
		push(pushed);
	}

	private void pop(int slots) {
		this.depth -= slots;
		this.self.clear(this.depth, this.depth + slots);
	}

	private void push(int slots) {
		this.depth += slots;
	}

	/** The operand stack at the target of a jump. */
	private record Stack(BitSet self, int depth) {
	}

}
