package io.leasehold.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.Expression;

/**
 * Recipe that replaces {@code @Lock4j} by {@code @DistributedLock}.
 */
public final class FromLock4j extends Recipe {

	@Override
	public String getDisplayName() {
		return "Migrate from lock4j to Leasehold";
	}

	@Override
	public String getDescription() {
		return "Replaces `@Lock4j` by `@DistributedLock`, and comments on what changes.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return new Translator();
	}

	private static final class Translator extends AnnotationTranslator {

		Translator() {
			super("com.baomidou.lock.annotation.Lock4j");
		}

		@Override
		void translate(Attributes attributes, Translation lock) {
			leaveIf("failStrategy", "Write a fallback", attributes, lock);
			leaveIf("keyBuilderStrategy", "Write the key yourself", attributes, lock);
			Expression release = attributes.get("autoRelease");
			if (release != null && !(Attributes.literal(release) instanceof Boolean)) {
				lock.leave("%s may be false. Write true or false".formatted(attributes.source("autoRelease")));
			}
			Expression wait = attributes.get("acquireTimeout");
			setKey(attributes, lock);
			lock.set("waitTime", (wait == null || Durations.isNegative(wait))
					? JavaText.of("${lock4j.acquire-timeout:3000}ms") : Durations.ofMillis(wait));
			setTimes(attributes, attributes.get("expire"), lock);
			if (attributes.get("executor") != null) {
				lock.changes("%s: set engine, unless it is that of leasehold.engine"
					.formatted(attributes.source("executor")));
			}
		}

		private static void leaveIf(String strategy, String action, Attributes attributes, Translation lock) {
			if (attributes.get(strategy) != null) {
				lock.leave("%s has no counterpart. %s".formatted(attributes.source(strategy), action));
			}
		}

		private void setKey(Attributes attributes, Translation lock) {
			Expression name = attributes.get("name");
			KeyText key = Keys.named(name, methodName());
			Keys.add(key, attributes.elements("keys"), "#target.", lock);
			lock.set("key", key.toCode());
		}

		private static void setTimes(Attributes attributes, @Nullable Expression expire, Translation lock) {
			boolean fixed = expire != null && !Durations.isNegative(expire);
			if (fixed) {
				lock.expire(Durations.ofMillis(expire));
			}
			if (attributes.isFalse("autoRelease")) {
				lock.set("minHold", fixed ? Durations.ofMillis(expire) : JavaText.of("${lock4j.expire:30000}ms"));
				if (!fixed) {
					lock.changes("autoRelease = false: with Redisson, the key stayed locked while the process lived");
				}
			}
		}

	}

}
