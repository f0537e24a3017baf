package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;

import org.springframework.orm.jpa.SharedEntityManagerCreator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of locks that are part of a transaction of JPA, which ignores marks of its
 * connection.
 */
abstract class JpaTransactionScopeContract extends TransactionScopeContract {

	@Override
	List<Class<?>> beans() {
		return List.of(JpaTransactions.class);
	}

	@Test
	void entitiesAreWrittenWithTheCommitBeforeTheLockEnds() {
		EntityManager entities = entities();
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			entities.persist(new SoldEntity("entity"));
			assertThat(sold()).isEmpty();
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(sold()).containsExactly("entity");
		assertThat(isFreeForOthers("order")).isTrue();
	}

	/**
	 * Each entity is named after the number of entities that the former holders wrote.
	 */
	@Test
	void noEntityIsLost() {
		EntityManager entities = entities();
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			all.add(inOtherThread(() -> {
				for (int j = 0; j < 10; j++) {
					this.transaction.executeWithoutResult((status) -> {
						this.shop.patiently("order");
						Long count = entities.createQuery("SELECT COUNT(s) FROM SoldEntity s", Long.class)
							.getSingleResult();
						entities.persist(new SoldEntity("number " + count));
					});
				}
				return null;
			}));
		}
		all.forEach(ScopedTransactions::get);
		assertThat(sold()).hasSize(40).doesNotHaveDuplicates();
	}

	private EntityManager entities() {
		return SharedEntityManagerCreator.createSharedEntityManager(this.application.bean(EntityManagerFactory.class));
	}

}
