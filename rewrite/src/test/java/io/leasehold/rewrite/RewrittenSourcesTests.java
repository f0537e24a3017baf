package io.leasehold.rewrite;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockTerms;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openrewrite.Recipe;
import org.openrewrite.test.RewriteTest;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.openrewrite.java.Assertions.java;

/**
 * Tests that the results of recipes compile, and lock what the original locked.
 */
class RewrittenSourcesTests implements RewriteTest {

	private static final List<Claim> claims = new CopyOnWriteArrayList<>();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final List<HeldLock> held = new ArrayList<>();

	@TempDir
	private Path folder;

	@AfterEach
	void close() {
		this.held.forEach(HeldLock::close);
		this.context.close();
		claims.clear();
	}

	@Test
	void jobsOfShedLock() throws Exception {
		Object jobs = start(new FromShedLock(), "shedlock-spring", """
				import io.leasehold.HeldLock;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				public class Subject {

				    @SchedulerLock(name = "report-${region}", lockAtMostFor = "PT10M", lockAtLeastFor = "60000")
				    public String report() {
				        return HeldLock.current().key();
				    }

				    @SchedulerLock(name = "job-#{#id}", lockAtMostFor = "1500")
				    public void hang(int id) throws Exception {
				        for (int i = 0; i < 6000 && HeldLock.current().isValid(); i++) {
				            Thread.sleep(10);
				        }
				    }

				}
				""", "region=eu");
		assertThat(call(jobs, "report")).isEqualTo("report-eu");
		assertThat(claims).last().satisfies((claim) -> {
			assertThat(claim.terms()).isEqualTo(new LockTerms(Duration.ofMinutes(10), Duration.ofMinutes(1)));
			assertThat(claim.waits()).isFalse();
		});
		assertThat(call(jobs, "report")).as("a job during its lockAtLeastFor").isNull();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> call(jobs, "hang", 7))
			.satisfies((lost) -> assertThat(lost.getKey()).isEqualTo("job-7"));
	}

	@Test
	void locksOfLock4j() throws Exception {
		Object orders = start(new FromLock4j(), "lock4j-core", """
				import com.baomidou.lock.annotation.Lock4j;
				import io.leasehold.HeldLock;

				public class Subject {

				    static final long TIME = 30_000;

				    @Lock4j(name = "order", keys = {"#id", "#name.trim()"}, expire = 2 * TIME, acquireTimeout = 20)
				    public String pay(int id, String name) {
				        return HeldLock.current().key();
				    }

				    @Lock4j(keys = "#id")
				    public String cancel(int id) {
				        return HeldLock.current().key();
				    }

				}
				""", "lock4j.acquire-timeout=30", "leasehold.wait-time=0s");
		assertThat(call(orders, "pay", 7, " ann ")).isEqualTo("order:7:ann");
		assertThat(claims).last().satisfies((claim) -> {
			assertThat(claim.terms().lease()).isEqualTo(Duration.ofMinutes(1));
			assertThat(claim.waits()).isTrue();
		});
		assertThat(call(orders, "cancel", 7)).isEqualTo("com.shop.Subject.cancel:7");
		acquireElsewhere("order:7:ann");
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> call(orders, "pay", 7, "ann"))
			.satisfies((busy) -> assertThat(busy.getWaited()).isGreaterThanOrEqualTo(Duration.ofMillis(20)));
		acquireElsewhere("com.shop.Subject.cancel:7");
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> call(orders, "cancel", 7))
			.satisfies((busy) -> assertThat(busy.getWaited()).isGreaterThanOrEqualTo(Duration.ofMillis(30)));
	}

	@Test
	void locksOfKlock() throws Exception {
		Object orders = start(new FromKlock(), "spring-boot-klock-starter",
				"""
						import io.leasehold.HeldLock;
						import org.springframework.boot.autoconfigure.klock.annotation.*;
						import org.springframework.boot.autoconfigure.klock.model.*;

						public class Subject {

						    @Klock(name = "order", keys = "#id", waitTime = 0, leaseTime = 60, customLockTimeoutStrategy = "busy")
						    public String pay(int id, @KlockKey("length()") String name) {
						        return HeldLock.current().key();
						    }

						    public String busy(int id, String name) {
						        return "busy";
						    }

						    @Klock(waitTime = 0, leaseTime = -1, lockType = LockType.Read, lockTimeoutStrategy = LockTimeoutStrategy.FAIL_FAST)
						    public String read(@KlockKey int id) {
						        return HeldLock.current().key();
						    }

						}
						""");
		assertThat(call(orders, "pay", 7, "ann")).isEqualTo("order:7:3");
		assertThat(claims).last().satisfies((claim) -> {
			assertThat(claim.terms().lease()).isEqualTo(Duration.ofMinutes(1));
			assertThat(claim.waits()).isFalse();
		});
		acquireElsewhere("order:7:3");
		assertThat(call(orders, "pay", 7, "ann")).isEqualTo("busy");
		assertThat(call(orders, "read", 7)).isEqualTo("com.shop.Subject.read:7");
		assertThat(claims).last().satisfies((claim) -> assertThat(claim.terms().mode()).isEqualTo(LockMode.SHARED));
		acquireElsewhere("com.shop.Subject.read:7");
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> call(orders, "read", 7));
	}

	/** Rewrite and compile a source, and return its bean in an application. */
	private Object start(Recipe recipe, String library, String source, String... properties) throws Exception {
		AtomicReference<String> result = new AtomicReference<>();
		rewriteRun((spec) -> spec.recipe(recipe).parser(Migrations.parser(library)),
				java("package com.shop;\n" + source, (spec) -> spec.after((rewritten) -> {
					result.set(rewritten);
					return rewritten;
				})));
		Class<?> type = compile(result.get());
		TestPropertyValues.of(properties).and("leasehold.engine=local").applyTo(this.context);
		this.context.setClassLoader(type.getClassLoader());
		this.context.register(Leasehold.class, type);
		this.context.refresh();
		Object bean = this.context.getBean(type);
		assertThat(AopUtils.isCglibProxy(bean)).isTrue();
		return bean;
	}

	/** Compile without the library that the source used before. */
	private Class<?> compile(String source) throws IOException, ClassNotFoundException {
		Path file = Files.writeString(this.folder.resolve("Subject.java"), source);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter messages = new StringWriter();
		Path leasehold = Path
			.of(URI.create(HeldLock.class.getProtectionDomain().getCodeSource().getLocation().toString()));
		boolean compiled = compiler
			.getTask(messages, null, null,
					List.of("-parameters", "-proc:none", "-d", this.folder.toString(), "-cp", leasehold.toString()),
					null, compiler.getStandardFileManager(null, null, null).getJavaFileObjects(file))
			.call();
		assertThat(compiled).as(() -> source + messages).isTrue();
		return Class.forName("com.shop.Subject", true,
				new URLClassLoader(new URL[] { this.folder.toUri().toURL() }, getClass().getClassLoader()));
	}

	private static Object call(Object bean, String method, Object... arguments) {
		return ReflectionUtils.invokeMethod(ReflectionUtils.findMethod(bean.getClass(), method,
				Arrays.stream(arguments)
					.map((argument) -> (argument instanceof Integer) ? int.class : argument.getClass())
					.toArray(Class<?>[]::new)),
				bean, arguments);
	}

	/** Acquire a lock in another thread, and keep it until the end of the test. */
	private void acquireElsewhere(String key) {
		DistributedLocks locks = this.context.getBean(DistributedLocks.class);
		this.held.add(CompletableFuture.supplyAsync(() -> locks.acquire(key)).join());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaseholdAutoConfiguration.class)
	static class Leasehold {

		/** The local engine, which records claims. */
		@Bean
		LockEngine engine(MonotonicClock clock) {
			LockEngine local = new LocalLockEngine(clock);
			return (LockEngine) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockEngine.class },
					(proxy, method, arguments) -> {
						if (arguments != null && arguments[0] instanceof Claim claim) {
							claims.add(claim);
						}
						return ReflectionUtils.invokeMethod(method, local, arguments);
					});
		}

	}

}
