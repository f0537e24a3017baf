package io.leasehold.interceptor;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LateTypes}.
 */
class LateTypesTests {

	@Test
	void onlyStagesThatACompletableFutureCanReplaceAreFollowed() {
		assertThat(List.of(CompletableFuture.class, CompletionStage.class, Mono.class, String.class))
			.noneMatch(LateTypes::isUnfollowed);
		assertThat(List.of(Future.class, FutureTask.class, Callable.class, OwnStage.class))
			.allMatch(LateTypes::isUnfollowed);
	}

	@Test
	void typesThatMayHideALateResult() {
		assertThat(List.of(Object.class, CompletionStage.class, CompletableFuture.class, Callable.class, Future.class))
			.allMatch(LateTypes::mayBe);
		assertThat(List.of(String.class, List.class, int.class)).noneMatch(LateTypes::mayBe);
	}

	/** Without the cache, so that each of the conditions decides. */
	@Test
	void classesWhoseObjectsEndLater() {
		assertThat(List.of(CompletionStage.class, Mono.class, FutureTask.class, Callable.class))
			.allMatch(LateTypes::hasLateInstances);
		assertThat(List.of(String.class, List.class, Object.class)).noneMatch(LateTypes::hasLateInstances);
	}

	@Test
	void returnedObjectThatEndsLater() {
		assertThat(List.of(new CompletableFuture<>(), Mono.empty(), new FutureTask<>(() -> ""),
				(Callable<String>) () -> ""))
			.allMatch(LateTypes::isLate);
		assertThat(List.of("", List.of(), 1)).noneMatch(LateTypes::isLate);
		assertThat(List.of(new CompletableFuture<>(), new FutureTask<>(() -> ""))).allMatch(LateTypes::isRunning);
		assertThat(List.of((Callable<String>) () -> "", Mono.empty())).noneMatch(LateTypes::isRunning);
	}

	/** A recursive type would be searched for ever without a bound. */
	@Test
	void resultIsFoundWithinFiveTypes() {
		assertThat(within(0)).isNull();
		assertThat(within(1)).isEqualTo(CompletableFuture.class);
		assertThat(within(5)).isEqualTo(CompletableFuture.class);
		assertThat(within(6)).isNull();
	}

	@Test
	void resultIsFoundInArraysAndWrappersOnly() {
		assertThat(LateTypes.within(ResolvableType.forClass(CompletableFuture[].class)))
			.isEqualTo(CompletableFuture.class);
		assertThat(LateTypes.within(ResolvableType.forClass(Mono[].class))).isEqualTo(Mono.class);
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(Map.class, String.class, Callable.class)))
			.isEqualTo(Callable.class);
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(Class.class, Callable.class))).isNull();
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(List.class, String.class))).isNull();
		assertThat(LateTypes.within(ResolvableType.forClass(String[].class))).isNull();
	}

	private static @Nullable Class<?> within(int lists) {
		ResolvableType type = ResolvableType.forClass(CompletableFuture.class);
		for (int i = 0; i < lists; i++) {
			type = ResolvableType.forClassWithGenerics(List.class, type);
		}
		return LateTypes.within(type);
	}

	private static final class OwnStage extends CompletableFuture<String> {

	}

}
