package io.leasehold.rewrite;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Recipe that replaces {@code @SchedulerLock} by {@code @DistributedLock}. The defaults
 * of {@code @EnableSchedulerLock} become attributes of each lock.
 */
public final class FromShedLock extends ScanningRecipe<ShedLockDefaults> {

	static final String PACKAGE = "net.javacrumbs.shedlock.spring.annotation.";

	static final String ENABLE = PACKAGE + "EnableSchedulerLock";

	@Override
	public String getDisplayName() {
		return "Migrate from ShedLock to Leasehold";
	}

	@Override
	public String getDescription() {
		return "Replaces `@SchedulerLock` by `@DistributedLock`, and comments on what changes.";
	}

	@Override
	public ShedLockDefaults getInitialValue(ExecutionContext context) {
		return new ShedLockDefaults();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(ShedLockDefaults defaults) {
		return defaults.scanner();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(ShedLockDefaults defaults) {
		return new Translator(defaults);
	}

	private static final class Translator extends AnnotationTranslator {

		private static final String ENABLED = "remove @EnableSchedulerLock when no @SchedulerLock is left."
				+ " The property leasehold.lease replaces defaultLockAtMostFor";

		private static final String SCHEDULER = "PROXY_SCHEDULER locked scheduled calls only;"
				+ " now all calls of the bean are locked";

		private final ShedLockDefaults defaults;

		Translator(ShedLockDefaults defaults) {
			super(PACKAGE + "SchedulerLock");
			this.defaults = defaults;
		}

		@Override
		public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
			if (!TypeUtils.isOfClassType(annotation.getType(), ENABLE)) {
				return super.visitAnnotation(annotation, context);
			}
			boolean scheduler = new Attributes(annotation).constant("interceptMode").equals("PROXY_SCHEDULER");
			return Comments.add(getCursor(), annotation, scheduler ? List.of(ENABLED, SCHEDULER) : List.of(ENABLED));
		}

		@Override
		void translate(Attributes attributes, Translation lock) {
			if (isComposed()) {
				lock.leave("it is part of another annotation. Write @DistributedLock there, and its @AliasFor");
			}
			setKey(attributes.get("name"), lock);
			lock.set("waitTime", "0s");
			lock.set("whenBusy", JavaText.ofCode("WhenBusy.SKIP"));
			setLongest(duration(attributes, "lockAtMostFor", this.defaults.most(), lock), lock);
			JavaText least = duration(attributes, "lockAtLeastFor", this.defaults.least(), lock);
			if (least != null) {
				lock.set("minHold", least);
			}
			annotationsAround().stream()
				.filter((other) -> TypeUtils.isOfClassType(other.getType(), PACKAGE + "LockProviderToUse"))
				.forEach((other) -> lock
					.changes("%s: set engine, unless it is that of leasehold.engine".formatted(other)));
		}

		private boolean isComposed() {
			return getCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration;
		}

		private static void setKey(@Nullable Expression name, Translation lock) {
			KeyText key = new KeyText();
			if (name == null) {
				lock.leave("it has no name. Write a key yourself");
			}
			else if (!(Attributes.literal(name) instanceof String text)) {
				key.text(name);
			}
			else {
				KeyTemplate.add(key, text, "@", lock);
			}
			lock.set("key", key.toCode());
		}

		private void setLongest(@Nullable JavaText longest, Translation lock) {
			if (longest != null && this.defaults.keepAlive()) {
				lock.set("lease", longest);
			}
			else if (longest != null) {
				lock.expire(longest);
			}
		}

		private static @Nullable JavaText duration(Attributes attributes, String attribute,
				ShedLockDefaults.Default absent, Translation lock) {
			Expression value = attributes.get(attribute);
			if (value != null) {
				return Durations.ofText(value);
			}
			if (absent.isUnknown()) {
				lock.changes("the default of %s in @EnableSchedulerLock is not known here. Set %s".formatted(attribute,
						absent.counterpart()));
			}
			return absent.duration();
		}

	}

}
