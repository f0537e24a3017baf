package io.leasehold.kotlin

import java.nio.file.Files
import java.nio.file.Path

import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/**
 * Tests that the examples of the manual compile and run.
 */
class ManualExamplesTests {

	@Test
	fun examplesOfThePageAreCompiled() {
		val page = Files.readString(Path.of("../docs/kotlin.md"))
		val examples = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map { it.groupValues[1] }
		val compiled = Files.readString(Path.of("src/test/kotlin/io/leasehold/kotlin/ManualExamples.kt"))
		assertThat(examples.toList()).hasSize(2).allSatisfy { assertThat(unindented(compiled)).contains(unindented(it)) }
	}

	private fun unindented(code: String) = code.trim().lines().joinToString("\n", transform = String::trim)

	@Test
	fun examplesRun() = runBlocking<Unit> {
		LockedApplication(ManualExamples.Orders::class).use {
			val orders = it.bean<ManualExamples.Orders>()
			assertThat(orders.pay(1).token).isPositive()
			assertThat(orders.lines(2).toList()).containsExactly("first line of order 2")
			ManualExamples().close(it.locks, 3)
		}
	}

}
