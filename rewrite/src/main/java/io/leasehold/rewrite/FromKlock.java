package io.leasehold.rewrite;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Recipe that replaces {@code @Klock} and {@code @KlockKey} by {@code @DistributedLock}.
 */
public final class FromKlock extends Recipe {

	private static final String PACKAGE = "org.springframework.boot.autoconfigure.klock.annotation.";

	private static final String KLOCK = PACKAGE + "Klock";

	private static final String KLOCK_KEY = PACKAGE + "KlockKey";

	@Override
	public String getDisplayName() {
		return "Migrate from Klock to Leasehold";
	}

	@Override
	public String getDescription() {
		return "Replaces `@Klock` and `@KlockKey` by `@DistributedLock`, and comments on what changes.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return new Translator();
	}

	private static final class Translator extends AnnotationTranslator {

		Translator() {
			super(KLOCK);
		}

		/**
		 * Remove the annotations of the parameters, if that of the method was replaced.
		 */
		@Override
		public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
			J.MethodDeclaration visited = super.visitMethodDeclaration(method, context);
			if (!has(method, KLOCK) || has(visited, KLOCK)) {
				return visited;
			}
			maybeRemoveImport(KLOCK_KEY);
			return (J.MethodDeclaration) new RemoveAnnotationVisitor(new AnnotationMatcher("@" + KLOCK_KEY))
				.visitNonNull(visited, context, getCursor().getParentOrThrow());
		}

		private static boolean has(J.MethodDeclaration method, String annotation) {
			return find(method.getLeadingAnnotations(), annotation) != null;
		}

		@Override
		void translate(Attributes attributes, Translation lock) {
			if (attributes.get("customReleaseTimeoutStrategy") != null) {
				lock.leave("%s has no counterpart. Use HeldLock.onLost"
					.formatted(attributes.source("customReleaseTimeoutStrategy")));
			}
			setKey(attributes, lock);
			setTimes(attributes, lock);
			setTimeoutStrategy(attributes, lock);
			setType(attributes, lock);
		}

		private void setKey(Attributes attributes, Translation lock) {
			KeyText key = Keys.named(attributes.get("name"), methodName());
			Keys.add(key, attributes.elements("keys"), "", lock);
			J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
			if (method != null) {
				method.getParameters().forEach((parameter) -> addParameter(key, parameter, lock));
			}
			lock.set("key", key.toCode());
		}

		private static void addParameter(KeyText key, Statement parameter, Translation lock) {
			if (!(parameter instanceof J.VariableDeclarations variable)) {
				return;
			}
			J.Annotation annotation = find(variable.getLeadingAnnotations(), KLOCK_KEY);
			if (annotation == null) {
				return;
			}
			String name = "#" + variable.getVariables().get(0).getSimpleName();
			Expression value = new Attributes(annotation).get("value");
			key.text(":");
			if (value == null) {
				Keys.addLiteral(key, name, "", lock);
			}
			else if (Attributes.literal(value) instanceof String text) {
				Keys.addLiteral(key, text, name + ".", lock);
			}
			else {
				lock.leave("write the key of @KlockKey(%s) yourself".formatted(value));
			}
		}

		private static void setTimes(Attributes attributes, Translation lock) {
			Expression wait = attributes.get("waitTime");
			lock.set("waitTime",
					(wait != null) ? Durations.ofSeconds(wait) : JavaText.of("${spring.klock.wait-time:60}s"));
			Expression lease = attributes.get("leaseTime");
			if (lease == null) {
				lock.changes("Klock ended the lock after spring.klock.lease-time (60 s); now it is renewed. Set maxHold"
						+ " as a limit");
			}
			else if (!Durations.isNegative(lease)) {
				lock.expire(Durations.ofSeconds(lease));
			}
		}

		private static void setTimeoutStrategy(Attributes attributes, Translation lock) {
			Expression custom = attributes.get("customLockTimeoutStrategy");
			String strategy = attributes.constant("lockTimeoutStrategy");
			if (custom != null) {
				lock.set("fallback",
						Attributes.literal(custom) instanceof String text ? JavaText.of(text) : JavaText.of(custom));
			}
			else if (strategy.equals("KEEP_ACQUIRE")) {
				lock.changes("KEEP_ACQUIRE retried for minutes after waitTime; now waitTime is the limit. Raise it");
			}
			else if (!strategy.equals("FAIL_FAST")) {
				lock.changes("Klock ran the method without the lock after waitTime; now LockBusyException is thrown."
						+ " Decide on whenBusy or fallback");
			}
		}

		private static void setType(Attributes attributes, Translation lock) {
			switch (attributes.constant("lockType")) {
				case "Read" -> lock.set("mode", JavaText.ofCode("LockMode.SHARED"));
				case "Fair" -> lock.changes("LockType.Fair: the order of callers depends on the engine");
				default -> {
				}
			}
		}

		private static J.@Nullable Annotation find(List<J.Annotation> annotations, String type) {
			return annotations.stream()
				.filter((annotation) -> TypeUtils.isOfClassType(annotation.getType(), type))
				.findFirst()
				.orElse(null);
		}

	}

}
