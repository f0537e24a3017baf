package io.leasehold.interceptor;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.docs.Manual;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.leasehold.interceptor.LateResultCells.CALL;
import static io.leasehold.interceptor.LateResultCells.LOCKED;
import static io.leasehold.interceptor.LateResultCells.PLAIN;
import static io.leasehold.interceptor.LateResultCells.STARTUP;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for all declared types with all objects that a method may return for them, with
 * and without Reactor: no result continues without its lock unnoticed. The manual shows
 * the table.
 */
class LateResultTableTests {

	private static final Path PAGE = Manual.file("docs/guarantees/results.md");

	private static final String RX = "io.reactivex.rxjava3.core.";

	private static final String COROUTINES = "kotlinx.coroutines.";

	private static final String CHANNEL = COROUTINES + "channels.ChannelKt.Channel(0, " + COROUTINES
			+ "channels.BufferOverflow.SUSPEND, null)";

	private static final String MONO = "reactor.core.publisher.Mono";

	private static final String FLUX = "reactor.core.publisher.Flux";

	private static final String ENTITY = "org.springframework.http.ResponseEntity";

	private static final String SERVLET = "org.springframework.web.servlet.function.";

	private static final String ROUTED = "org.springframework.web.reactive.function.server.";

	private static final String DATA = "org.springframework.data.domain.";

	private static final String PAGE_OF_X = "new " + DATA + "PageImpl<>(List.of(\"x\"))";

	/** Cells of libraries that need no Reactor. */
	private static final List<Cell> CELLS = List.of(both("String", "\"x\"", PLAIN),
			both("List<String>", "List.of(\"x\")", PLAIN), both("Object", "\"x\"", PLAIN),
			both("Object", "List.of(\"x\")", PLAIN), both("List<?>", "List.of(\"x\", 1)", PLAIN),
			both("Map<String, Object>", "Map.of(\"x\", List.of(1))", PLAIN),
			both("Object[]", "new Object[] { 1 }", PLAIN), both(ENTITY + "<?>", ENTITY + ".ok(\"x\")", PLAIN),
			both("Box<?>", "new Box<>(\"x\")", PLAIN), both(DATA + "Page<String>", PAGE_OF_X, PLAIN),
			both(DATA + "Slice<String>", PAGE_OF_X, PLAIN), both(ENTITY + "<" + DATA + "Page<String>>", "null", PLAIN),
			both("Object", PAGE_OF_X, PLAIN), both("Map<String, Object>", "Map.of(\"x\", " + PAGE_OF_X + ")", PLAIN),
			both(DATA + "Page<Future<String>>", "null", STARTUP),
			both("Object", "CompletableFuture.completedFuture(\"x\")", LOCKED),
			both("Optional<?>", "Optional.of(CompletableFuture.completedFuture(\"x\"))", PLAIN),
			both("CompletableFuture<String>", "Work.future()", LOCKED),
			both("CompletionStage<String>", "Work.future()", LOCKED), both("Object", "Work.future()", LOCKED),
			both("CompletableFuture<Object>", "CompletableFuture.completedFuture(Work.future())", CALL),
			both("CompletableFuture<List<?>>", "CompletableFuture.completedFuture(List.of(Work.future()))", CALL),
			both("Future<String>", "Work.future()", STARTUP), both("Object", "new FutureTask<>(() -> 1)", CALL),
			both("Callable<String>", "() -> \"x\"", STARTUP), both("Object", "(Callable<String>) () -> \"x\"", CALL),
			both("java.util.function.Supplier<?>", "() -> Work.future()", STARTUP),
			both("Object", "(java.util.function.Supplier<?>) () -> Work.future()", CALL),
			both("Iterator<?>", "List.of(Work.future()).iterator()", STARTUP),
			both("java.io.InputStream", "java.io.InputStream.nullInputStream()", STARTUP),
			both("Object", "java.io.InputStream.nullInputStream()", CALL),
			both("java.io.ByteArrayInputStream", "new java.io.ByteArrayInputStream(new byte[1])", PLAIN),
			both("Object", "new java.io.StringReader(\"x\")", PLAIN),
			both("java.io.Reader", "java.io.Reader.nullReader()", STARTUP),
			both("Optional<java.io.InputStream>", "null", STARTUP),
			both("Object", "List.of(Work.future()).iterator()", CALL),
			both("java.util.stream.Stream<String>", "List.of(\"x\").stream()", STARTUP),
			both("Object", "List.of(Work.future()).stream()", CALL),
			both("List<CompletableFuture<String>>", "List.of(Work.future())", STARTUP),
			both("Box<CompletableFuture<String>>", "new Box<>(Work.future())", STARTUP),
			both("java.util.function.Function<String, Future<String>>", "(x) -> Work.future()", STARTUP),
			both("Future<String>[]", "null", STARTUP), both("List<?>", "List.of(Work.future())", CALL),
			both("List", "List.of(Work.future())", CALL), both("Iterable<?>", "List.of(Work.future())", CALL),
			both("Collection<?>", "new ArrayList<>(List.of(\"x\", Work.future()))", CALL),
			both("Map<String, Object>", "Map.of(\"x\", Work.future())", CALL),
			both("Map<String, ?>", "Map.of(\"x\", List.of(Work.future()))", CALL),
			both("Optional<?>", "Optional.of(Work.future())", CALL),
			both("Object[]", "new Object[] { Work.future() }", CALL), both("Box<?>", "new Box<>(Work.future())", CALL),
			both("Box<Object>", "new Box<>(List.of(Work.future()))", CALL),
			both("Object", "new Box<>(Work.future())", CALL), both("Object", "List.of(Work.future())", CALL),
			both(ENTITY + "<?>", ENTITY + ".ok(Work.future())", CALL),
			both(ENTITY + "<Object>", ENTITY + ".ok(List.of(Work.future()))", CALL),
			both(ENTITY + "<CompletableFuture<String>>", ENTITY + ".ok(Work.future())", STARTUP),
			both(SERVLET + "ServerResponse", "null", STARTUP),
			both("Object", SERVLET + "ServerResponse.ok().body(Work.future())", CALL),
			both("Object", SERVLET + "ServerResponse.sse((events) -> Work.future())", CALL),
			both(SERVLET + "EntityResponse<String>", "null", STARTUP),
			new Cell("Flow.Publisher<String>",
					"org.reactivestreams.FlowAdapters.toFlowPublisher(" + RX
							+ "Flowable.fromCompletionStage(Work.future()))",
					LOCKED, STARTUP),
			new Cell("org.reactivestreams.Publisher<String>", RX + "Flowable.fromCompletionStage(Work.future())",
					LOCKED, STARTUP),
			new Cell(RX + "Flowable<String>", RX + "Flowable.fromCompletionStage(Work.future())", LOCKED, STARTUP),
			new Cell(RX + "Observable<String>", RX + "Observable.fromCompletionStage(Work.future())", LOCKED, STARTUP),
			new Cell(RX + "Single<String>", RX + "Single.fromCompletionStage(Work.future())", LOCKED, STARTUP),
			new Cell(RX + "Maybe<String>", RX + "Maybe.fromCompletionStage(Work.future())", LOCKED, STARTUP),
			new Cell(RX + "Completable", RX + "Completable.fromCompletionStage(Work.future())", LOCKED, STARTUP),
			new Cell("Object", RX + "Single.fromCompletionStage(Work.future())", LOCKED, CALL),
			both("List<?>", "List.of(" + RX + "Single.fromCompletionStage(Work.future()))", CALL),
			both("io.reactivex.rxjava3.flowables.ConnectableFlowable<String>", "null", STARTUP),
			both(COROUTINES + "Job", COROUTINES + "JobKt.Job(null)", STARTUP),
			both(COROUTINES + "Deferred<String>", COROUTINES + "CompletableDeferredKt.CompletableDeferred(null)",
					STARTUP),
			new Cell(COROUTINES + "flow.Flow<String>", COROUTINES + "flow.FlowKt.flowOf(\"x\")", LOCKED, STARTUP),
			both("kotlin.sequences.Sequence<String>", "kotlin.sequences.SequencesKt.sequenceOf(\"x\")", STARTUP),
			both(COROUTINES + "channels.ReceiveChannel<String>", CHANNEL, STARTUP),
			both(COROUTINES + "channels.SendChannel<String>", CHANNEL, STARTUP),
			both("Object", COROUTINES + "JobKt.Job(null)", CALL),
			new Cell("Object", COROUTINES + "flow.FlowKt.flowOf(\"x\")", LOCKED, CALL),
			both("List<?>", "List.of(" + COROUTINES + "CompletableDeferredKt.CompletableDeferred(null))", CALL));

	private static final List<Cell> REACTOR = List.of(mono("<String>", MONO + ".fromFuture(Work.future())", LOCKED),
			new Cell(FLUX + "<String>", MONO + ".fromFuture(Work.future()).flux()", LOCKED, ""),
			new Cell("Object", MONO + ".fromFuture(Work.future())", LOCKED, ""),
			new Cell("org.reactivestreams.Publisher<String>", MONO + ".fromFuture(Work.future())", LOCKED, ""),
			mono("<List<String>>", MONO + ".fromFuture(Work.future()).map(List::of)", LOCKED),
			mono("<Object>", MONO + ".just(Work.future())", CALL),
			mono("<" + ENTITY + "<?>>", MONO + ".just(" + ENTITY + ".ok(" + FLUX + ".just(1)))", CALL),
			mono("<" + ENTITY + "<" + FLUX + "<String>>>", "null", STARTUP),
			mono("<" + ROUTED + "ServerResponse>", "null", STARTUP),
			mono("<Object>", MONO + ".just(" + ROUTED + "ServerResponse.ok().build().block())", CALL),
			new Cell(FLUX + "<List<?>>", FLUX + ".just(List.of(" + FLUX + ".just(1)))", CALL, ""),
			new Cell("List<?>", "List.of(" + MONO + ".never())", CALL, ""),
			new Cell("Map<String, Object>", "Map.of(\"x\", " + MONO + ".never())", CALL, ""),
			new Cell(ENTITY + "<?>", ENTITY + ".ok(" + FLUX + ".never())", CALL, ""),
			new Cell("reactor.core.publisher.ParallelFlux<String>", "null", STARTUP, ""),
			new Cell("reactor.core.publisher.ConnectableFlux<String>", "null", STARTUP, ""),
			new Cell("reactor.core.publisher.GroupedFlux<String, String>", "null", STARTUP, ""));

	@Test
	@Fault({ 125, 126 })
	void noResultContinuesWithoutItsLock(@TempDir Path directory) throws Exception {
		List<Cell> all = new ArrayList<>(CELLS);
		all.addAll(REACTOR);
		assertThat(outcomes(all, "none", directory)).containsExactlyElementsOf(expected(all, Cell::reactor));
	}

	@Test
	@Fault({ 125, 126 })
	void noResultContinuesWithoutItsLockIfReactorIsAbsent(@TempDir Path directory) throws Exception {
		assertThat(outcomes(CELLS, "reactor-", directory)).containsExactlyElementsOf(expected(CELLS, Cell::alone));
	}

	/** {@code -Dresults.write} writes it anew. */
	@Test
	void manualShowsTheTable() throws IOException {
		String text = Manual.read(PAGE);
		int start = text.indexOf("| declared");
		int end = text.indexOf("\n\n", start);
		String made = text.substring(0, start) + table() + text.substring(end);
		if (System.getProperty("results.write") != null) {
			Files.writeString(PAGE, made);
		}
		assertThat(Manual.read(PAGE)).as("%s, written anew by -Dresults.write", PAGE).isEqualTo(made);
	}

	private static String table() {
		List<Cell> all = new ArrayList<>(CELLS);
		all.addAll(REACTOR);
		return "| declared | returned | with Reactor | without Reactor |\n|---|---|---|---|\n" + all.stream()
			.map((cell) -> "| `%s` | `%s` | %s | %s |".formatted(shown(cell.declared()), shown(cell.returned()),
					cell.reactor(), cell.alone().isEmpty() ? "–" : cell.alone()))
			.collect(Collectors.joining("\n"));
	}

	private static String shown(String code) {
		return code.replaceAll("\\b[a-z]\\w*\\.(?:\\w+\\.)*(?=[A-Z])", "").replace("Work.future()", "running");
	}

	private static List<String> expected(List<Cell> cells, Function<Cell, String> outcome) {
		return cells.stream().map((cell) -> cell + ": " + outcome.apply(cell)).toList();
	}

	/** Run the cells in a class loader of their own, without some of the libraries. */
	private static List<String> outcomes(List<Cell> cells, String absent, Path directory) throws Exception {
		List<String> classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !new File(entry).getName().startsWith(absent))
			.toList();
		URL[] urls = new URL[classPath.size()];
		for (int i = 0; i < urls.length; i++) {
			urls[i] = new File(classPath.get(i)).toURI().toURL();
		}
		List<String[]> code = cells.stream().map((cell) -> new String[] { cell.declared(), cell.returned() }).toList();
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			thread.setContextClassLoader(loader);
			Method run = loader.loadClass(LateResultCells.class.getName())
				.getMethod("outcomes", List.class, String.class, Path.class);
			List<?> outcomes = (List<?>) run.invoke(null, code, String.join(File.pathSeparator, classPath), directory);
			List<String> result = new ArrayList<>();
			for (int i = 0; i < outcomes.size(); i++) {
				result.add(cells.get(i) + ": " + outcomes.get(i));
			}
			return result;
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static Cell both(String declared, String returned, String outcome) {
		return new Cell(declared, returned, outcome, outcome);
	}

	private static Cell mono(String generics, String returned, String outcome) {
		return new Cell(MONO + generics, returned, outcome, "");
	}

	/**
	 * Cell of the table.
	 *
	 * @param declared the declared type
	 * @param returned the returned expression
	 * @param reactor outcome with Reactor
	 * @param alone outcome without Reactor, empty if it needs Reactor
	 */
	record Cell(String declared, String returned, String reactor, String alone) {

		@Override
		public String toString() {
			return this.declared + ", " + this.returned;
		}

	}

}
