package io.leasehold.kotlin

import java.time.Duration

import io.leasehold.DistributedLocks
import io.leasehold.HeldLock
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.springframework.boot.autoconfigure.ImportAutoConfiguration
import org.springframework.boot.test.util.TestPropertyValues
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Configuration
import kotlin.reflect.KClass

/**
 * An application with locks in memory, whose leases are longer than any test.
 */
class LockedApplication(vararg beans: KClass<*>, properties: List<String> = emptyList()) : AutoCloseable {

	val context = AnnotationConfigApplicationContext().apply {
		TestPropertyValues.of("leasehold.engine=local", "leasehold.lease=10m").and(properties).applyTo(this)
		register(Leasehold::class.java, *beans.map { it.java }.toTypedArray())
		refresh()
	}

	val locks: DistributedLocks = context.getBean(DistributedLocks::class.java)

	inline fun <reified T : Any> bean(): T = context.getBean(T::class.java)

	/** Whether another caller can acquire a key now. */
	suspend fun isFree(key: String) = withContext(Dispatchers.IO) { elsewhere { locks.tryAcquire(key).map(HeldLock::close).isPresent } }

	/** Wait until a key is free, for much less than a lease. */
	suspend fun awaitFree(key: String) = withContext(Dispatchers.IO) {
		elsewhere { locks.acquire(key, locks.defaults().toBuilder().waitTime(Duration.ofSeconds(30)).build()).close() }
	}

	/** Call in a thread that runs under no lock. */
	private fun <T> elsewhere(action: () -> T): T {
		var result: Result<T>? = null
		Thread { result = runCatching(action) }.apply { start(); join() }
		return result!!.getOrThrow()
	}

	override fun close() = context.close()

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaseholdAutoConfiguration::class, LeaseholdLocalAutoConfiguration::class)
	class Leasehold

}
