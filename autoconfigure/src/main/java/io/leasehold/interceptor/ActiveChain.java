package io.leasehold.interceptor;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import reactor.core.Scannable;
import reactor.core.Scannable.Attr;

/**
 * The operators of a subscription that are active now, as far as Reactor exposes them.
 * Operators that are not listed here may use threads outside Reactor: a cancellation does
 * not prove that their work has ended.
 *
 * @param known whether all of them run only in the caller's thread or in tasks of
 * Reactor's schedulers
 * @param grows whether one of them may subscribe to a further source
 */
record ActiveChain(boolean known, boolean grows) {

	private static final ActiveChain UNKNOWN = new ActiveChain(false, true);

	private static final ActiveChain FIXED = new ActiveChain(true, false);

	private static final Set<String> SOURCES = Set.of("FluxArray", "FluxGenerate", "FluxInterval", "FluxIterable",
			"FluxRange", "FluxSubscribeOnCallable", "FluxSubscribeOnValue", "MonoCallable", "MonoDelay", "MonoRunnable",
			"MonoSupplier", "Operators$EmptySubscription", "Operators$ScalarSubscription");

	private static final Set<String> OPERATORS = Set.of("FluxContextWrite", "FluxContextWriteRestoringThreadLocals",
			"FluxDefaultIfEmpty", "FluxDoFinally", "FluxElapsed", "FluxFilter", "FluxFilterFuseable", "FluxHandle",
			"FluxHandleFuseable", "FluxHide", "FluxIndex", "FluxIndexFuseable", "FluxLimitRequest", "FluxMap",
			"FluxMapFuseable", "FluxOnAssembly", "FluxOnErrorReturn", "FluxPeek", "FluxPeekFuseable", "FluxPublishOn",
			"FluxScan", "FluxSkip", "FluxSubscribeOn", "FluxTake", "FluxTakeUntil", "FluxTakeWhile", "FluxTap",
			"FluxTapFuseable", "MonoCollect", "MonoCollectList", "MonoCount", "MonoDelayElement", "MonoIgnoreElements",
			"MonoNext", "MonoPeekTerminal", "MonoPublishOn", "MonoReduce", "MonoSingle", "MonoSubscribeOn");

	/** Operators that subscribe to several sources at once and expose all of them. */
	private static final Set<String> GROWING = Set.of("FluxFlatMap", "MonoWhen", "MonoZip");

	/**
	 * Operators that subscribe to another source when one ends, and expose it slightly
	 * later.
	 */
	private static final Set<String> CONTINUING = Set.of("FluxConcatArray", "FluxOnErrorResume", "FluxRepeat",
			"FluxRetry", "FluxSwitchIfEmpty", "MonoFlatMap", "MonoIgnoreThen");

	/** Return the operators of a subscription and of all its sources. */
	static ActiveChain of(@Nullable Object subscription) {
		Scannable active = Scannable.from(subscription);
		if (!active.isScanAvailable() || !active.getClass().getName().startsWith("reactor.core.publisher.")) {
			return UNKNOWN;
		}
		String name = active.getClass().getName().substring("reactor.core.publisher.".length());
		String operator = name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
		if (SOURCES.contains(operator) || SOURCES.contains(name)) {
			return FIXED;
		}
		boolean continuing = CONTINUING.contains(operator);
		boolean growing = continuing || GROWING.contains(operator);
		Object parent = active.scanUnsafe(Attr.PARENT);
		List<? extends Scannable> inners = active.inners()
			.filter((inner) -> inner != null && inner.isScanAvailable())
			.toList();
		if (!growing && !OPERATORS.contains(operator) || parent == null && inners.isEmpty() || continuing
				&& inners.isEmpty() && !Boolean.FALSE.equals(Scannable.from(parent).scanUnsafe(Attr.TERMINATED))) {
			return UNKNOWN;
		}
		ActiveChain all = (parent != null) ? of(parent) : FIXED;
		for (Scannable inner : inners) {
			all = all.and(of(inner));
		}
		return all.and(new ActiveChain(true, growing));
	}

	private ActiveChain and(ActiveChain other) {
		return new ActiveChain(this.known && other.known, this.grows || other.grows);
	}

}
