package io.leasehold.kotlin

import java.io.File
import java.net.URLClassLoader

import io.leasehold.annotation.DistributedLock
import io.leasehold.annotation.WhenBusy
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.stereotype.Component
import kotlin.reflect.KClass

/**
 * Tests for applications in Kotlin without the libraries that Spring needs to call suspending functions.
 */
class MissingLibrariesTests {

	private fun refusalsWithout(library: String, vararg beans: KClass<*>): List<String?> {
		val entries = System.getProperty("java.class.path").split(File.pathSeparator).map(::File)
		val others = entries.filterNot { it.name.startsWith(library) }
		assertThat(others).hasSizeLessThan(entries.size)
		val thread = Thread.currentThread()
		val before = thread.contextClassLoader
		val urls = others.map { it.toURI().toURL() }.toTypedArray()
		return URLClassLoader(urls, ClassLoader.getPlatformClassLoader()).use { loader ->
			thread.contextClassLoader = loader
			try {
				val refusal = loader.loadClass("io.leasehold.kotlin.RefusalKt").getMethod("refusal", String::class.java)
				beans.map { refusal.invoke(null, it.java.name) as String? }
			}
			finally {
				thread.contextClassLoader = before
			}
		}
	}

	@Test
	fun suspendingFunctionsNeedTheBridgeToReactor() {
		assertThat(refusalsWithout("kotlinx-coroutines-reactor", Suspends::class).single())
			.contains("is a suspending function, which Spring cannot call here", "Add kotlin-reflect and kotlinx-coroutines-reactor")
	}

	@Test
	fun onlySuspendingFunctionsNeedReflection() {
		val (suspends, skips, skipsNumber) = refusalsWithout("kotlin-reflect", Suspends::class, Skips::class, SkipsNumber::class)
		assertThat(suspends).contains("which Spring cannot call here")
		assertThat(skips).isNull()
		assertThat(skipsNumber).contains("has whenBusy SKIP, but returns long")
	}

	@Component
	class Suspends {

		@DistributedLock(key = "'k'")
		suspend fun run() = Unit

	}

	@Component
	class Skips {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		fun run(): String? = null

	}

	@Component
	class SkipsNumber {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		fun run(): Long = 1

	}

}
