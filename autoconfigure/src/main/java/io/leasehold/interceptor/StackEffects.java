package io.leasehold.interceptor;

import static org.springframework.asm.Opcodes.*;

/**
 * Operand stack slots that the instructions without a descriptor pop and push.
 */
final class StackEffects {

	private StackEffects() {
	}

	/** Return two digits: the slots popped, then the slots pushed. */
	static String of(int opcode) {
		return switch (opcode) {
			case ACONST_NULL, ICONST_M1, ICONST_0, ICONST_1, ICONST_2, ICONST_3, ICONST_4, ICONST_5, FCONST_0, FCONST_1,
					FCONST_2, ILOAD, FLOAD, ALOAD, JSR ->
				"01";
			case LCONST_0, LCONST_1, DCONST_0, DCONST_1, LLOAD, DLOAD -> "02";
			case ISTORE, FSTORE, ASTORE, POP, IRETURN, FRETURN, ARETURN, ATHROW, MONITORENTER, MONITOREXIT, IFEQ, IFNE,
					IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL ->
				"10";
			case INEG, FNEG, I2F, F2I, I2B, I2C, I2S, ARRAYLENGTH -> "11";
			case DUP, I2L, I2D, F2L, F2D -> "12";
			case LSTORE, DSTORE, POP2, LRETURN, DRETURN, IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT,
					IF_ICMPLE, IF_ACMPEQ, IF_ACMPNE ->
				"20";
			case IALOAD, FALOAD, AALOAD, BALOAD, CALOAD, SALOAD, IADD, FADD, ISUB, FSUB, IMUL, FMUL, IDIV, FDIV, IREM,
					FREM, ISHL, ISHR, IUSHR, IAND, IOR, IXOR, FCMPL, FCMPG, L2I, L2F, D2I, D2F ->
				"21";
			case LALOAD, DALOAD, SWAP, LNEG, DNEG, L2D, D2L -> "22";
			case DUP_X1 -> "23";
			case DUP2 -> "24";
			case IASTORE, FASTORE, AASTORE, BASTORE, CASTORE, SASTORE -> "30";
			case LSHL, LSHR, LUSHR -> "32";
			case DUP_X2 -> "34";
			case DUP2_X1 -> "35";
			case LASTORE, DASTORE -> "40";
			case LCMP, DCMPL, DCMPG -> "41";
			case LADD, DADD, LSUB, DSUB, LMUL, DMUL, LDIV, DDIV, LREM, DREM, LAND, LOR, LXOR -> "42";
			case DUP2_X2 -> "46";
			default -> "00";
		};
	}

}
