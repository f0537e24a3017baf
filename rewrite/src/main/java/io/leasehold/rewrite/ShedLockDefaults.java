package io.leasehold.rewrite;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;

/**
 * What {@code @EnableSchedulerLock} and the lock provider of the sources define for all
 * locks.
 */
final class ShedLockDefaults {

	private static final String KEEP_ALIVE = "net.javacrumbs.shedlock.support.KeepAliveLockProvider";

	private final Default most = new Default("defaultLockAtMostFor", "lease and maxHold");

	private final Default least = new Default("defaultLockAtLeastFor", "minHold");

	private boolean keepAlive;

	Default most() {
		return this.most;
	}

	Default least() {
		return this.least;
	}

	boolean keepAlive() {
		return this.keepAlive;
	}

	JavaVisitor<ExecutionContext> scanner() {
		return new JavaIsoVisitor<>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				if (TypeUtils.isOfClassType(annotation.getType(), FromShedLock.ENABLE)) {
					Attributes attributes = new Attributes(annotation);
					ShedLockDefaults.this.most.add(attributes);
					ShedLockDefaults.this.least.add(attributes);
				}
				return annotation;
			}

			@Override
			public J.NewClass visitNewClass(J.NewClass created, ExecutionContext context) {
				ShedLockDefaults.this.keepAlive |= TypeUtils.isOfClassType(created.getType(), KEEP_ALIVE);
				return super.visitNewClass(created, context);
			}

		};
	}

	/**
	 * Default of an attribute.
	 */
	static final class Default {

		private final String attribute;

		private final String counterpart;

		/** An empty text for an absent attribute. */
		private final Set<String> texts = new HashSet<>();

		private boolean constant;

		Default(String attribute, String counterpart) {
			this.attribute = attribute;
			this.counterpart = counterpart;
		}

		private void add(Attributes attributes) {
			Expression value = attributes.get(this.attribute);
			if (value == null || Attributes.literal(value) instanceof String) {
				this.texts.add((value != null) ? String.valueOf(Attributes.literal(value)) : "");
			}
			else {
				this.constant = true;
			}
		}

		boolean isUnknown() {
			return this.constant || this.texts.size() != 1;
		}

		/** Return the attributes to set instead. */
		String counterpart() {
			return this.counterpart;
		}

		/** Return the duration, or null if there is none. */
		@Nullable JavaText duration() {
			String text = isUnknown() ? "" : this.texts.iterator().next();
			return text.isEmpty() ? null : Durations.ofText(text);
		}

	}

}
