package io.leasehold.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Search for a bean's calls to its own annotated methods, in the class files of its class
 * and superclasses. Such a call bypasses the proxy. Calls from nested classes, and on
 * variables other than {@code this}, are not found.
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
					new ClassReader(file).accept(new Visitor(annotated, found), ClassReader.SKIP_FRAMES);
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

	private static final class Visitor extends ClassVisitor {

		private final Collection<Method> annotated;

		private final Set<SelfCall> found;

		Visitor(Collection<Method> annotated, Set<SelfCall> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.annotated = annotated;
			this.found = found;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
			return (bridge || (access & Opcodes.ACC_STATIC) != 0) ? null
					: new ThisTracker((called, calledDescriptor) -> note(name, descriptor, called, calledDescriptor));
		}

		private void note(String caller, String descriptor, String called, String calledDescriptor) {
			for (Method method : this.annotated) {
				if (method.getName().equals(called) && Type.getMethodDescriptor(method).equals(calledDescriptor)) {
					// The body of a lambda is a separate method
					String name = caller.replaceFirst("^lambda\\$(.+)\\$\\d+$", "$1");
					this.found.add(new SelfCall(name, descriptor, method));
				}
			}
		}

	}

}
