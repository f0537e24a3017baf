package io.leasehold.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Search for a bean's calls to its own annotated methods, in the class files of its class
 * and superclasses. Such a call bypasses the proxy. Calls from nested classes are not
 * found, nor those of a method that obtains another object of the class, such as the
 * proxy: which of the two it calls is unknown.
 */
final class SelfCalls {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private SelfCalls() {
	}

	/** Find the calls; none if a class file cannot be read, as in a native image. */
	static Set<SelfCall> find(Class<?> type, Collection<Method> annotated) {
		Set<SelfCall> found = new LinkedHashSet<>();
		for (Class<?> declaring = type; declaring != null
				&& declaring != Object.class; declaring = declaring.getSuperclass()) {
			try (InputStream file = declaring.getResourceAsStream(ClassUtils.getClassFileName(declaring))) {
				if (file != null) {
					new ClassReader(file).accept(new ClassCalls(declaring, annotated, found), ClassReader.SKIP_FRAMES);
				}
			}
			catch (IOException | RuntimeException ex) {
				logger.debug("The calls of %s to itself cannot be found".formatted(declaring.getName()), ex);
			}
		}
		return found;
	}

	/**
	 * Call of a bean to itself.
	 *
	 * @param caller name of the calling method
	 * @param descriptor descriptor of the calling method
	 * @param called the annotated method
	 */
	record SelfCall(String caller, String descriptor, Method called) {

		boolean isBy(Method method) {
			return method.getName().equals(this.caller) && Type.getMethodDescriptor(method).equals(this.descriptor);
		}

	}

	private static final class ClassCalls extends ClassVisitor {

		private final String type;

		private final Collection<Method> annotated;

		private final Set<SelfCall> found;

		ClassCalls(Class<?> type, Collection<Method> annotated, Set<SelfCall> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = Type.getInternalName(type);
			this.annotated = annotated;
			this.found = found;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean another = descriptor.contains("L" + this.type + ";");
			return (another || (access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_STATIC)) != 0) ? null
					: new MethodCalls(this.type, (calls) -> note(name, descriptor, calls));
		}

		private void note(String caller, String descriptor, Set<String> calls) {
			for (Method method : this.annotated) {
				if (calls.contains(method.getName() + Type.getMethodDescriptor(method))) {
					// The body of a lambda is a separate method
					String name = caller.replaceFirst("^lambda\\$(.+)\\$\\d+$", "$1");
					this.found.add(new SelfCall(name, descriptor, method));
				}
			}
		}

	}

	/**
	 * Calls of an instance method on its own class. The receiver is {@code this} unless
	 * the method obtains another object of the class.
	 */
	private static final class MethodCalls extends MethodVisitor {

		private final String type;

		private final Consumer<Set<String>> result;

		private final Set<String> calls = new HashSet<>();

		private boolean another;

		MethodCalls(String type, Consumer<Set<String>> result) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
			this.result = result;
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			obtain(Type.getType(descriptor));
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			obtain(Type.getObjectType(type));
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			obtain(Type.getReturnType(descriptor));
			if (opcode == Opcodes.INVOKESPECIAL || opcode == Opcodes.INVOKEVIRTUAL && owner.equals(this.type)) {
				this.calls.add(name + descriptor);
			}
		}

		/** A reference such as {@code this::pay} has the receiver as first argument. */
		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			if (descriptor.startsWith("(L" + this.type + ";")) {
				for (Object argument : arguments) {
					if (argument instanceof Handle handle && handle.getOwner().equals(this.type)) {
						this.calls.add(handle.getName() + handle.getDesc());
					}
				}
			}
		}

		private void obtain(Type obtained) {
			Type element = (obtained.getSort() == Type.ARRAY) ? obtained.getElementType() : obtained;
			this.another |= element.getSort() == Type.OBJECT && element.getInternalName().equals(this.type);
		}

		@Override
		public void visitEnd() {
			if (!this.another) {
				this.result.accept(this.calls);
			}
		}

	}

}
