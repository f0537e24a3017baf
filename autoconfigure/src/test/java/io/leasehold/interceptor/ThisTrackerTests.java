package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.asm.Opcodes.ACONST_NULL;
import static org.springframework.asm.Opcodes.ALOAD;
import static org.springframework.asm.Opcodes.ANEWARRAY;
import static org.springframework.asm.Opcodes.ASTORE;
import static org.springframework.asm.Opcodes.ATHROW;
import static org.springframework.asm.Opcodes.BIPUSH;
import static org.springframework.asm.Opcodes.CHECKCAST;
import static org.springframework.asm.Opcodes.GETFIELD;
import static org.springframework.asm.Opcodes.GETSTATIC;
import static org.springframework.asm.Opcodes.GOTO;
import static org.springframework.asm.Opcodes.H_INVOKESTATIC;
import static org.springframework.asm.Opcodes.H_INVOKEVIRTUAL;
import static org.springframework.asm.Opcodes.IFEQ;
import static org.springframework.asm.Opcodes.ILOAD;
import static org.springframework.asm.Opcodes.INSTANCEOF;
import static org.springframework.asm.Opcodes.INVOKESTATIC;
import static org.springframework.asm.Opcodes.INVOKEVIRTUAL;
import static org.springframework.asm.Opcodes.IRETURN;
import static org.springframework.asm.Opcodes.LRETURN;
import static org.springframework.asm.Opcodes.NEW;
import static org.springframework.asm.Opcodes.NEWARRAY;
import static org.springframework.asm.Opcodes.POP;
import static org.springframework.asm.Opcodes.PUTFIELD;
import static org.springframework.asm.Opcodes.PUTSTATIC;
import static org.springframework.asm.Opcodes.RETURN;
import static org.springframework.asm.Opcodes.SIPUSH;
import static org.springframework.asm.Opcodes.T_INT;

/**
 * Tests for {@link ThisTracker} by single instructions.
 */
class ThisTrackerTests {

	private final List<String> calls = new ArrayList<>();

	private final ThisTracker method = new ThisTracker((name, descriptor) -> this.calls.add(name + descriptor));

	/** What an instruction needs on the stack, and leaves there, in slots. */
	static Stream<Arguments> instructions() {
		return Stream.of(of("checkcast", 1, 1, (method) -> method.visitTypeInsn(CHECKCAST, "Shop")),
				of("instanceof", 1, 1, (method) -> method.visitTypeInsn(INSTANCEOF, "Shop")),
				of("new", 0, 1, (method) -> method.visitTypeInsn(NEW, "Shop")),
				of("anewarray", 1, 1, (method) -> method.visitTypeInsn(ANEWARRAY, "Shop")),
				of("newarray", 1, 1, (method) -> method.visitIntInsn(NEWARRAY, T_INT)),
				of("bipush", 0, 1, (method) -> method.visitIntInsn(BIPUSH, 3)),
				of("sipush", 0, 1, (method) -> method.visitIntInsn(SIPUSH, 3)),
				of("getstatic int", 0, 1, (method) -> method.visitFieldInsn(GETSTATIC, "Shop", "f", "I")),
				of("getstatic long", 0, 2, (method) -> method.visitFieldInsn(GETSTATIC, "Shop", "f", "J")),
				of("putstatic int", 1, 0, (method) -> method.visitFieldInsn(PUTSTATIC, "Shop", "f", "I")),
				of("putstatic long", 2, 0, (method) -> method.visitFieldInsn(PUTSTATIC, "Shop", "f", "J")),
				of("getfield int", 1, 1, (method) -> method.visitFieldInsn(GETFIELD, "Shop", "f", "I")),
				of("getfield long", 1, 2, (method) -> method.visitFieldInsn(GETFIELD, "Shop", "f", "J")),
				of("putfield int", 2, 0, (method) -> method.visitFieldInsn(PUTFIELD, "Shop", "f", "I")),
				of("putfield long", 3, 0, (method) -> method.visitFieldInsn(PUTFIELD, "Shop", "f", "J")),
				of("ldc int", 0, 1, (method) -> method.visitLdcInsn(3)),
				of("ldc text", 0, 1, (method) -> method.visitLdcInsn("x")),
				of("ldc long", 0, 2, (method) -> method.visitLdcInsn(3L)),
				of("ldc double", 0, 2, (method) -> method.visitLdcInsn(3.0)),
				of("multianewarray", 3, 1, (method) -> method.visitMultiANewArrayInsn("[[[I", 3)),
				of("static call", 3, 2, (method) -> method.visitMethodInsn(INVOKESTATIC, "Shop", "s", "(IJ)J", false)),
				of("static call of nothing", 0, 0,
						(method) -> method.visitMethodInsn(INVOKESTATIC, "Shop", "s", "()V", false)),
				of("call of another", 4, 1,
						(method) -> method.visitMethodInsn(INVOKEVIRTUAL, "Shop", "o", "(IJ)I", false)),
				of("lambda", 3, 1, (method) -> method.visitInvokeDynamicInsn("run", "(IJ)LPay;", handle())),
				of("lambda of nothing", 0, 1, (method) -> method.visitInvokeDynamicInsn("run", "()LPay;", handle())),
				of("jump", 1, 0, (method) -> method.visitJumpInsn(IFEQ, new Label())),
				of("iload", 0, 1, (method) -> method.visitVarInsn(ILOAD, 0)),
				of("aload 1", 0, 1, (method) -> method.visitVarInsn(ALOAD, 1)),
				of("astore", 1, 0, (method) -> method.visitVarInsn(ASTORE, 2)));
	}

	/** A wrong number of slots would take another value for the receiver. */
	@ParameterizedTest(name = "{0}")
	@MethodSource("instructions")
	void instructionMovesTheStackByItsSlots(String name, int popped, int pushed, Instruction instruction) {
		self();
		other();
		self();
		other(popped);
		instruction.visit(this.method);
		pop(pushed);
		call("first");
		call("second");
		call("third");
		assertThat(this.calls).containsExactly("first()V", "third()V");
	}

	@Test
	void whatAnInstructionLeavesIsNotThis() {
		self();
		this.method.visitFieldInsn(GETFIELD, "Shop", "self", "LShop;");
		call("ofField");
		self();
		this.method.visitTypeInsn(INSTANCEOF, "Shop");
		call("ofInstanceOf");
		self();
		this.method.visitTypeInsn(CHECKCAST, "Shop");
		call("ofCast");
		assertThat(this.calls).containsExactly("ofCast()V");
	}

	@Test
	void receiverIsBelowTheArguments() {
		self();
		this.method.visitLdcInsn(1L);
		other();
		this.method.visitMethodInsn(INVOKEVIRTUAL, "Shop", "pay", "(JLShop;)J", false);
		pop(2);
		other();
		this.method.visitLdcInsn(1L);
		self();
		this.method.visitMethodInsn(INVOKEVIRTUAL, "Shop", "argument", "(JLShop;)V", false);
		self();
		this.method.visitMethodInsn(INVOKESTATIC, "Shop", "ofClass", "(LShop;)V", false);
		assertThat(this.calls).containsExactly("pay(JLShop;)J");
	}

	@Test
	void referenceIsACallOfItsFirstArgument() {
		self();
		this.method.visitLdcInsn(1L);
		this.method.visitInvokeDynamicInsn("run", "(LShop;J)LPay;", handle(),
				new Object[] { "text", new Handle(H_INVOKESTATIC, "Shop", "body", "()V", false), handle("pay") });
		pop(1);
		other();
		self();
		this.method.visitInvokeDynamicInsn("run", "(LShop;LShop;)LPay;", handle(), handle("argument"));
		pop(1);
		self();
		this.method.visitInvokeDynamicInsn("run", "()LPay;", handle(), handle("unbound"));
		assertThat(this.calls).containsExactly("pay()V");
	}

	/** Code after such an instruction has the stack of the jump to it. */
	@ParameterizedTest
	@ValueSource(ints = { IRETURN, LRETURN, RETURN, ATHROW })
	void codeAfterTheEndHasTheStackOfItsJump(int end) {
		Label label = new Label();
		self();
		other();
		this.method.visitJumpInsn(IFEQ, label);
		other(3);
		this.method.visitInsn(end);
		this.method.visitLabel(label);
		call("afterJump");
		assertThat(this.calls).containsExactly("afterJump()V");
	}

	@Test
	void codeAfterAConditionalJumpHasTheStackBeforeIt() {
		Label label = new Label();
		this.method.visitJumpInsn(GOTO, new Label());
		this.method.visitLabel(new Label());
		other();
		this.method.visitJumpInsn(IFEQ, label);
		self();
		this.method.visitLabel(label);
		call("fallingThrough");
		assertThat(this.calls).containsExactly("fallingThrough()V");
	}

	@Test
	void codeAfterAJumpOrSwitchHasTheStackOfItsJump() {
		Label afterJump = new Label();
		Label afterSwitch = new Label();
		Label afterTable = new Label();
		self();
		this.method.visitJumpInsn(GOTO, afterJump);
		this.method.visitLabel(afterJump);
		call("afterJump");
		self();
		other();
		this.method.visitLookupSwitchInsn(new Label(), new int[] { 1 }, new Label[] { afterSwitch });
		this.method.visitLabel(afterSwitch);
		call("afterSwitch");
		self();
		other();
		this.method.visitTableSwitchInsn(1, 2, afterTable, new Label(), new Label());
		this.method.visitLabel(afterTable);
		call("afterTable");
		assertThat(this.calls).containsExactly("afterJump()V", "afterSwitch()V", "afterTable()V");
	}

	/** A handler has the exception alone, other unreachable code nothing. */
	@Test
	void handlerBeginsWithItsException() {
		Label handler = new Label();
		this.method.visitTryCatchBlock(new Label(), new Label(), handler, null);
		self();
		this.method.visitJumpInsn(GOTO, new Label());
		this.method.visitLabel(handler);
		pop(1);
		self();
		call("inHandler");
		this.method.visitInsn(RETURN);
		this.method.visitLabel(new Label());
		self();
		call("unreachable");
		assertThat(this.calls).containsExactly("inHandler()V", "unreachable()V");
	}

	/** The stack of the first jump counts: all jumps to a label have the same. */
	@Test
	void laterCodeDoesNotChangeTheStackOfAJump() {
		Label label = new Label();
		self();
		other();
		this.method.visitJumpInsn(IFEQ, label);
		pop(1);
		other();
		this.method.visitInsn(RETURN);
		this.method.visitLabel(label);
		call("kept");
		assertThat(this.calls).containsExactly("kept()V");
	}

	private void self() {
		this.method.visitVarInsn(ALOAD, 0);
	}

	private void other() {
		this.method.visitInsn(ACONST_NULL);
	}

	private void other(int slots) {
		for (int i = 0; i < slots; i++) {
			other();
		}
	}

	private void pop(int slots) {
		for (int i = 0; i < slots; i++) {
			this.method.visitInsn(POP);
		}
	}

	private void call(String name) {
		this.method.visitMethodInsn(INVOKEVIRTUAL, "Shop", name, "()V", false);
	}

	private static Handle handle() {
		return handle("bootstrap");
	}

	private static Handle handle(String name) {
		return new Handle(H_INVOKEVIRTUAL, "Shop", name, "()V", false);
	}

	private static Arguments of(String name, int popped, int pushed, Instruction instruction) {
		return Arguments.of(name, popped, pushed, instruction);
	}

	interface Instruction {

		void visit(ThisTracker method);

	}

}
