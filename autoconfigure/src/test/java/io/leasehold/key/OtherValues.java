package io.leasehold.key;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import kotlin.Pair;
import kotlin.jvm.JvmInline;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.function.Tuples;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.domain.PageRequest;
import org.springframework.util.ClassUtils;
import org.springframework.util.MimeTypeUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Values of applications and libraries.
 */
final class OtherValues {

	private static final String OWN = "does not override toString()";

	private static final String IDENTITY = "does not override equals()";

	private static final String HASH = "identity hash code";

	private static final String PROXY = "is a proxy";

	private static final String VALUE_CLASS = "Kotlin value class";

	private OtherValues() {
	}

	static void addTo(KeyCatalogue rows) {
		addRecords(rows.group("Records"));
		addClasses(rows.group("Classes of the application"));
		addProxies(rows.group("Proxies and entities"));
		addLibraries(rows.group("Kotlin, Reactor, Spring"));
	}

	private static void addRecords(KeyCatalogue rows) {
		rows.key("record", "OrderId[region=eu, number=7]", () -> new OrderId("eu", 7), () -> new OrderId("eu", 8))
			.key("record in a record", "Nested[id=OrderId[region=eu, number=7], day=DAYS]",
					() -> new Nested(new OrderId("eu", 7), TimeUnit.DAYS),
					() -> new Nested(new OrderId("us", 7), TimeUnit.DAYS))
			.key("record with its own text", "eu-7", () -> new Named("eu", 7), () -> new Named("eu", 8))
			.key("record with a long text", "Text[text=x=null y]", () -> new Text("x=null y"), () -> new Text("x"));
		rows.refused("record with a null", "number is null", () -> new OrderId("eu", null))
			.refused("record with an array", "where one value is needed", () -> new Array(new String[] { "a" }))
			.refused("record with a primitive array", "where one value is needed", () -> new Any(new int[] { 1 }))
			.refused("record with a list", "where one value is needed", () -> new Any(List.of(1)))
			.refused("record with a set", "where one value is needed", () -> new Any(Set.of("a", "b", "c")))
			.refused("record with a HashSet", "where one value is needed", () -> new Any(new HashSet<>(Set.of("a"))))
			.refused("record with a map", "where one value is needed", () -> new Any(Map.of("a", 1, "b", 2)))
			.refused("record with an object without text", OWN, () -> new Any(new Plain()))
			.refused("record with a date", "toInstant()", () -> new Any(new Date(0)))
			.refused("record with a double", "BigDecimal", () -> new Real(0.5))
			.refused("record with an Optional", "orElseThrow()", () -> new Any(Optional.empty()))
			.refused("record with a future", "does not identify", () -> new Any(new CompletableFuture<>()))
			.refused("record with a lock", "does not identify", () -> new Any(new ReentrantLock()))
			.refused("record with a publisher", IDENTITY, () -> new Any(Mono.just(1)))
			.refused("record with a lambda", OWN, () -> new Any((Supplier<Object>) () -> 1))
			.refused("private record with an array", "where one value is needed", () -> new Hidden(new int[0]))
			.refused("record with its own text, and a set", "where one value is needed",
					() -> new Tagged("eu", Set.of("a", "b")))
			.refused("record whose own text has a null", "null", () -> new Described(null))
			.refused("record whose own text has an object", OWN, () -> new Described(new Object()));
	}

	private static void addClasses(KeyCatalogue rows) {
		rows.key("class with equals and toString", "eu/7", () -> new Value("eu/7"), () -> new Value("eu/8"))
			.key("its subclass", "eu/7", () -> new Value("eu/7") {
			}, () -> new Value("eu/8"))
			.key("enum with its own text, as a part", "ONE", () -> Code.ONE, () -> Code.TWO)
			.key("enum constant with a body", "TWO", () -> Code.TWO, () -> Code.ONE)
			.key("class with a mail address", "Mail(Bob@cafe.de)", () -> new Value("Mail(Bob@cafe.de)"),
					() -> new Value("Mail(bob@cafe.de)"));
		rows.refused("class without toString", OWN, Plain::new)
			.refused("class with equals alone", OWN, EqualsOnly::new)
			.refused("class with toString alone", IDENTITY, TextOnly::new)
			.refused("anonymous class", OWN, () -> new Object() {
			})
			.refused("class whose text is null", "empty", () -> new Value(null))
			.refused("class whose text is empty", "empty", () -> new Value(""))
			.refused("class whose text has an object", HASH, () -> new Value("Value(" + new Object() + ")"))
			.refused("class whose text has an array", HASH, () -> new Value("Value(" + new int[0] + ")"))
			.refused("class whose text has an array of arrays", HASH, () -> new Value("v" + new String[0][0]))
			.refused("class whose text has a lambda", HASH, () -> new Value("v=" + (Supplier<Object>) () -> 1))
			.refused("Lombok's text with a null", "contains null", () -> new Value("Value(a=null)"))
			.refused("IDE's text with a null", "contains null", () -> new Value("Value{a=1, b=null}"))
			.refused("subclass of a future", "does not identify", () -> new CompletableFuture<>() {
			})
			.refused("subclass of Exception", "does not identify", () -> new CustomException());
	}

	private static void addProxies(KeyCatalogue rows) {
		rows.key("entity with equals and toString", "SKU a", () -> new Entities.Product("a"),
				() -> new Entities.Product("b"))
			.key("lazy proxy of such an entity", "SKU a", () -> Entities.lazy(Entities.Product.class, "a"),
					() -> new Entities.Product("b"))
			.key("CGLIB proxy of a value", "v", () -> cglib(new Value("v")), () -> cglib(new Value("w")));
		rows.refused("JDK proxy", PROXY, () -> new ProxyFactory(new Named2("x")).getProxy())
			.refused("JDK proxy of a JDK interface", PROXY,
					() -> Proxy.newProxyInstance(OtherValues.class.getClassLoader(),
							new Class<?>[] { Comparable.class }, (proxy, method, arguments) -> "x"))
			.refused("annotation", PROXY, () -> Objects.requireNonNull(Wrapped.class.getAnnotation(JvmInline.class)))
			.refused("CGLIB proxy of an object without text", OWN, () -> cglib(new Plain()))
			.refused("entity without text", OWN, () -> new Entities.Customer("a"))
			.refused("lazy proxy of an entity without text", HASH, () -> Entities.lazy(Entities.Customer.class, "a"))
			.refused("entity with toString alone", IDENTITY, () -> new Entities.Invoice("a"));
	}

	private static void addLibraries(KeyCatalogue rows) {
		rows.key("data class", "(1, b)", () -> new Pair<>(1, "b"), () -> new Pair<>(1, "c"))
			.key("MimeType", "text/plain", () -> MimeTypeUtils.TEXT_PLAIN, () -> MimeTypeUtils.TEXT_HTML);
		rows.refused("data class with a null", "is null", () -> new Pair<>(1, null))
			.refused("data class with an object", OWN, () -> new Pair<>(1, new Plain()))
			.refused("data class with a set", "where one value is needed", () -> new Pair<>(1, Set.of(1, 2)))
			.refused("boxed value class", VALUE_CLASS, () -> new Wrapped(7))
			.refused("boxed UInt", VALUE_CLASS, () -> boxed("kotlin.UInt", int.class, 7))
			.refused("boxed kotlin.time.Duration", VALUE_CLASS, () -> boxed("kotlin.time.Duration", long.class, 7L))
			.refused("boxed Result", VALUE_CLASS, () -> boxed("kotlin.Result", Object.class, "a"))
			.refused("Lazy", IDENTITY, () -> kotlin.LazyKt.lazy(() -> 1))
			.refused("Job", IDENTITY, () -> JobKt.Job(null))
			.refused("Deferred", IDENTITY, () -> CompletableDeferredKt.CompletableDeferred(1))
			.refused("coroutines' Flow", OWN, () -> FlowKt.flowOf(1))
			.refused("Mono", IDENTITY, () -> Mono.just(1))
			.refused("Mono of nothing", IDENTITY, Mono::empty)
			.refused("Flux", IDENTITY, () -> Flux.just(1, 2))
			.refused("ParallelFlux", IDENTITY, () -> Flux.just(1, 2).parallel())
			.refused("ConnectableFlux", IDENTITY, () -> Flux.just(1, 2).publish())
			.refused("sink", OWN, () -> Sinks.one())
			.refused("Tuple2", "where one value is needed", () -> Tuples.of(1, 2))
			.refused("page", "where one value is needed",
					() -> new org.springframework.data.domain.PageImpl<>(Arrays.asList(1, 2), PageRequest.of(0, 2), 2));
	}

	private static Object cglib(Object target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		return factory.getProxy();
	}

	/** Create what Kotlin passes where a value class is nullable or an element. */
	private static Object boxed(String type, Class<?> of, Object value) {
		Class<?> valueClass = ClassUtils.resolveClassName(type, null);
		return Objects.requireNonNull(ReflectionUtils
			.invokeMethod(Objects.requireNonNull(ReflectionUtils.findMethod(valueClass, "box-impl", of)), null, value));
	}

	record OrderId(String region, @Nullable Integer number) {

	}

	record Nested(OrderId id, TimeUnit day) {

	}

	record Named(String region, int number) {

		@Override
		public String toString() {
			return this.region + "-" + this.number;
		}

	}

	record Tagged(String region, Set<String> tags) {

		@Override
		public String toString() {
			return this.region;
		}

	}

	record Text(String text) {

	}

	record Array(String[] array) {

	}

	record Any(Object in) {

	}

	record Real(double number) {

	}

	private record Hidden(int[] array) {

	}

	record Described(@Nullable Object in) {

		@Override
		public String toString() {
			return "Described(in=" + this.in + ")";
		}

	}

	static class Value {

		private final @Nullable String text;

		Value(@Nullable String text) {
			this.text = text;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Value value && Objects.equals(this.text, value.text);
		}

		@Override
		public int hashCode() {
			return Objects.hashCode(this.text);
		}

		@Override
		@SuppressWarnings("NullAway") // a class that must not do so
		public String toString() {
			return this.text;
		}

	}

	static class Plain {

		final UUID id = new UUID(1, 1);

	}

	static class EqualsOnly {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof EqualsOnly;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class TextOnly {

		@Override
		public String toString() {
			return "text";
		}

	}

	static class CustomException extends Exception {

		private static final long serialVersionUID = 1L;

	}

	record Named2(String name) implements Comparable<Named2> {

		@Override
		public int compareTo(Named2 other) {
			return this.name.compareTo(other.name);
		}

	}

	enum Code {

		ONE, TWO {
		};

		@Override
		public String toString() {
			return name();
		}

	}

	/** Boxed form of a value class, as Kotlin's compiler marks it. */
	@JvmInline
	static final class Wrapped {

		private final int v;

		Wrapped(int v) {
			this.v = v;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Wrapped wrapped && this.v == wrapped.v;
		}

		@Override
		public int hashCode() {
			return this.v;
		}

		@Override
		public String toString() {
			return "Wrapped(v=" + this.v + ")";
		}

	}

}
