package io.leasehold.interceptor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

import static org.awaitility.Awaitility.await;

/**
 * Runs annotated methods whose declared type and returned expression are given as text,
 * with the libraries of the class loader that loaded this class.
 */
public final class LateResultCells {

	/** The method's result is returned when its lock is released. */
	static final String PLAIN = "returned";

	/** The lock is held until the returned result has ended. */
	static final String LOCKED = "locked until it has ended";

	/** The application does not start. */
	static final String STARTUP = "refused at startup";

	/** The call fails, and its key is left to the lease. */
	static final String CALL = "refused at the call";

	private static final String SOURCE = """
			package cells;
			import java.util.*;
			import java.util.concurrent.*;
			import io.leasehold.interceptor.LateResultCells.Work;
			public class Cell%d {
				@io.leasehold.annotation.DistributedLock(key = "'cell%d'")
				public %s run() { return %s; }
				public record Box<T>(T value) { }
			}
			""";

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LateResultCells.class.getClassLoader());

	private final AnnotationConfigApplicationContext context;

	private final String key;

	private LateResultCells(AnnotationConfigApplicationContext context, String key) {
		this.context = context;
		this.key = key;
	}

	/**
	 * Return what happens to each cell.
	 * @param cells declared types and returned expressions
	 * @param classPath class path of the cells
	 * @param directory place for their classes
	 */
	public static List<String> outcomes(List<String[]> cells, String classPath, Path directory) throws Exception {
		compile(cells, classPath, directory);
		List<String> outcomes = new ArrayList<>();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
				URLClassLoader loader = new URLClassLoader(new URL[] { directory.toUri().toURL() },
						LateResultCells.class.getClassLoader())) {
			TestPropertyValues.of("leasehold.engine=local", "leasehold.wait-time=0s", "leasehold.lease=10m")
				.applyTo(context);
			context.setClassLoader(loader);
			context.register(Application.class);
			context.refresh();
			for (int i = 0; i < cells.size(); i++) {
				outcomes.add(new LateResultCells(context, "cell" + i).outcome(loader.loadClass("cells.Cell" + i)));
			}
		}
		return outcomes;
	}

	private static void compile(List<String[]> cells, String classPath, Path directory) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> arguments = new ArrayList<>(
				List.of("-proc:none", "-nowarn", "-cp", classPath, "-d", directory.toString()));
		for (int i = 0; i < cells.size(); i++) {
			Path file = directory.resolve("Cell%d.java".formatted(i));
			Files.writeString(file, SOURCE.formatted(i, i, cells.get(i)[0], cells.get(i)[1]));
			arguments.add(file.toString());
		}
		int errors = compiler.run(null, null, null, arguments.toArray(String[]::new));
		if (errors != 0) {
			throw new IllegalStateException("The cells do not compile");
		}
	}

	private String outcome(Class<?> type) throws Exception {
		Work.reset();
		try {
			return outcomeOfACall(this.context.getAutowireCapableBeanFactory().createBean(type));
		}
		catch (BeanCreationException ex) {
			if (ex.getMostSpecificCause() instanceof InvalidLockAnnotationException) {
				return STARTUP;
			}
			throw ex;
		}
	}

	private String outcomeOfACall(Object bean) throws Exception {
		CompletableFuture<?> result;
		try {
			result = pending(bean.getClass().getMethod("run").invoke(bean));
		}
		catch (InvocationTargetException ex) {
			return refused(ex.getCause());
		}
		if (result == null) {
			return isFree() ? PLAIN : "returned under its lock";
		}
		await().until(() -> Work.begun || result.isDone());
		boolean held = result.isDone() || !isFree();
		Work.end();
		try {
			result.get(1, TimeUnit.MINUTES);
		}
		catch (ExecutionException ex) {
			return refused(ex.getCause());
		}
		await().until(this::isFree);
		return held ? LOCKED : "not locked while it runs";
	}

	private String refused(Throwable failure) {
		if (!(failure instanceof IllegalStateException) || !failure.getMessage().contains("Cell")) {
			return "fails with " + failure;
		}
		return isFree() ? "refused, but its key is free" : CALL;
	}

	private boolean isFree() {
		return Locked.isFree(this.context.getBean(DistributedLocks.class), this.key);
	}

	private static @Nullable CompletableFuture<?> pending(@Nullable Object returned) {
		if (returned instanceof CompletionStage<?> stage) {
			return stage.toCompletableFuture();
		}
		ReactiveAdapter adapter = (returned != null)
				? ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned.getClass()) : null;
		return (adapter != null && REACTOR) ? Subscribed.to(adapter, returned) : null;
	}

	/** Loaded only if Reactor is present. */
	private static final class Subscribed {

		static CompletableFuture<?> to(ReactiveAdapter adapter, Object publisher) {
			return Flux.from(adapter.toPublisher(publisher)).collectList().toFuture();
		}

	}

	/** Work that continues until the test ends it. */
	public static final class Work {

		static volatile boolean begun;

		private static CompletableFuture<String> current = new CompletableFuture<>();

		private Work() {
		}

		/** Begin the work. */
		public static CompletableFuture<String> future() {
			begun = true;
			return current;
		}

		static void reset() {
			begun = false;
			current = new CompletableFuture<>();
		}

		static void end() {
			current.complete("done");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class })
	static class Application {

	}

}
