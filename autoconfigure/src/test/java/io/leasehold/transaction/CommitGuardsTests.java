package io.leasehold.transaction;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each fenced call asks for all managers.
 */
class CommitGuardsTests {

	private int searches;

	private final DefaultListableBeanFactory parent = new DefaultListableBeanFactory() {

		@Override
		public String[] getBeanNamesForType(Class<?> type, boolean includeNonSingletons, boolean allowEagerInit) {
			CommitGuardsTests.this.searches++;
			return super.getBeanNamesForType(type, includeNonSingletons, allowEagerInit);
		}

	};

	private final CommitGuards guards = new CommitGuards(new DefaultListableBeanFactory(this.parent), true);

	@Test
	void definitionsAreNotSearchedForEachCall() {
		this.guards.guardAll();
		int first = this.searches;
		assertThat(this.guards.guardAll()).isEmpty();
		assertThat(this.searches).isEqualTo(first);
	}

	@Test
	void managerCreatedLaterByAParentIsGuarded() {
		RootBeanDefinition lazy = new RootBeanDefinition(DataSourceTransactionManager.class,
				() -> new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:")));
		this.parent.registerBeanDefinition("lazy", lazy);
		this.guards.guardAll();
		DataSourceTransactionManager manager = this.parent.getBean(DataSourceTransactionManager.class);
		assertThat(manager.getTransactionExecutionListeners()).isEmpty();
		this.guards.guardAll();
		assertThat(manager.getTransactionExecutionListeners()).hasOnlyElementsOfType(CommitGuard.class).isNotEmpty();
	}

}
