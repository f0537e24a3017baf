package io.leasehold.interceptor;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.CharArrayReader;
import java.io.InputStream;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
	void typesWhoseContentMayEndLater() {
		assertThat(Stream.of(Object.class, List.class, Box.class, Object[].class).map(ResolvableType::forClass))
			.allMatch(LateTypes::isOpen);
		assertThat(Stream.of(String.class, int.class, String[].class, Names.class, Class.class)
			.map(ResolvableType::forClass)).noneMatch(LateTypes::isOpen);
		assertThat(LateTypes.isOpen(ResolvableType.forClassWithGenerics(Box.class, String.class))).isFalse();
		assertThat(LateTypes.isOpen(ResolvableType.forClassWithGenerics(Box.class, Object.class))).isTrue();
		assertThat(LateTypes.isOpen(ResolvableType.forClassWithGenerics(CompletableFuture.class, String.class)))
			.isFalse();
	}

	@Test
	void returnedObjectThatEndsLater() {
		assertThat(List.of(new CompletableFuture<>(), Mono.empty(), new FutureTask<>(() -> ""),
				(Callable<String>) () -> ""))
			.allMatch(LateTypes::isLate);
		assertThat(List.of("", List.of(), 1)).noneMatch(LateTypes::isLate);
		assertThat(List.of(InputStream.nullInputStream(), new BufferedReader(new StringReader(""))))
			.allMatch(LateTypes::isLate);
		assertThat(
				List.of(new ByteArrayInputStream(new byte[1]), new StringReader(""), new CharArrayReader(new char[1])))
			.noneMatch(LateTypes::isLate);
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
	void resultIsFoundInArraysRecordsAndTypeArguments() {
		assertThat(LateTypes.within(ResolvableType.forClass(CompletableFuture[].class)))
			.isEqualTo(CompletableFuture.class);
		assertThat(LateTypes.within(ResolvableType.forClass(Mono[].class))).isEqualTo(Mono.class);
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(Map.class, String.class, Callable.class)))
			.isEqualTo(Callable.class);
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(Class.class, Callable.class))).isNull();
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(List.class, String.class))).isNull();
		assertThat(LateTypes.within(ResolvableType.forClass(String[].class))).isNull();
	}

	@Test
	void resultIsFoundInASubclassOfACollection() {
		assertThat(LateTypes.within(ResolvableType.forClass(Receipts.class))).isEqualTo(CompletableFuture.class);
		assertThat(LateTypes.within(ResolvableType.forClass(Names.class))).isNull();
		assertThat(LateTypes.within(ResolvableType.forClassWithGenerics(Box.class, Mono.class))).isEqualTo(Mono.class);
		assertThat(LateTypes.within(ResolvableType.forClass(Page.class))).isEqualTo(Supplier.class);
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

	private static final class Receipts extends ArrayList<CompletableFuture<String>> {

		private static final long serialVersionUID = 1L;

	}

	record Names(List<String> all) {
	}

	record Box<T>(T value) {
	}

	record Page(List<String> names, Supplier<Page> next) {
	}

}
