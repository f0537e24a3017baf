package io.leasehold.kotlin

import java.time.Duration

import io.leasehold.StaleFencingTokenException
import io.leasehold.annotation.DistributedLock
import io.leasehold.reactive.ReactiveTransactions
import io.leasehold.transaction.R2dbcFencingGuard
import io.r2dbc.spi.ConnectionFactory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.io.ClassPathResource
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.r2dbc.core.await
import org.springframework.r2dbc.core.awaitOne
import org.springframework.stereotype.Component
import org.springframework.transaction.ReactiveTransactionManager
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait

/**
 * Tests for suspending functions and flows whose transactions are fenced.
 */
class FencedFunctionTests {

	@Test
	fun annotatedTransactionOfAFormerOwnerRollsBack() = fenced { it.pay() }

	@Test
	fun transactionInTheBodyOfAFormerOwnerRollsBack() = fenced { it.payInTheBody() }

	@Test
	fun flowOfAFormerOwnerRollsBack() = fenced { it.payAll().toList() }

	/** The owner of the second transaction has a successor before it commits. */
	private fun fenced(pay: suspend (Payments) -> Unit) = runBlocking<Unit> {
		LockedApplication(SurroundedFunctionTests.Database::class, Guard::class, Payments::class).use { application ->
			val payments = application.bean<Payments>()
			payments.createTables()
			pay(payments)
			assertThat(payments.count()).isEqualTo(1)
			payments.meanwhile = { payments.announceSuccessor() }
			assertThat(runCatching { pay(payments) }.exceptionOrNull()).isInstanceOf(StaleFencingTokenException::class.java)
			assertThat(payments.count()).isEqualTo(1)
		}
	}

	@Configuration(proxyBeanMethods = false)
	class Guard {

		@Bean
		fun guard(connections: ConnectionFactory, transactions: ReactiveTransactions) =
			R2dbcFencingGuard(connections, "", Duration.ofDays(7), transactions)

	}

	@Component
	class Payments(private val client: DatabaseClient, private val connections: ConnectionFactory, manager: ReactiveTransactionManager) {

		private val operator = TransactionalOperator.create(manager)

		var meanwhile: suspend () -> Unit = { }

		@Transactional
		@DistributedLock(key = "'orders'", fenced = true)
		suspend fun pay() = insert()

		@DistributedLock(key = "'orders'", fenced = true)
		suspend fun payInTheBody() = operator.executeAndAwait { withContext(Dispatchers.IO) { insert() } }

		@Transactional
		@DistributedLock(key = "'orders'", fenced = true)
		fun payAll(): Flow<String> = flow {
			insert()
			emit("paid")
		}

		private suspend fun insert() {
			client.sql("insert into fenced_payment values (1)").await()
			meanwhile()
		}

		suspend fun createTables() {
			client.sql("drop table if exists fenced_payment").await()
			client.sql("drop table if exists leasehold_fence").await()
			client.sql("create table fenced_payment (id bigint)").await()
			ResourceDatabasePopulator(ClassPathResource("io/leasehold/transaction/migration/h2/R__leasehold_fence.sql"))
				.populate(connections).awaitSingleOrNull()
		}

		/** On another connection, which commits. */
		suspend fun announceSuccessor() {
			withContext(Dispatchers.IO) { client.sql("update leasehold_fence set token = token + 64").then().block() }
		}

		suspend fun count(): Long = client.sql("select count(*) from fenced_payment").map { row -> row.get(0) as Long }.awaitOne()

	}

}
