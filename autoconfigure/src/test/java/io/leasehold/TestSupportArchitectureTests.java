package io.leasehold;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Keeps what is published from the test tree apart from the rest of it.
 */
@AnalyzeClasses(packages = TestSupportArchitectureTests.PUBLISHED,
		importOptions = TestSupportArchitectureTests.Support.class)
class TestSupportArchitectureTests {

	static final String PUBLISHED = "io.leasehold.test";

	@ArchTest
	static final ArchRule publishedClassesUseNoUnpublishedOnes = classes().should()
		.onlyDependOnClassesThat(resideInAPackage(PUBLISHED + "..").or(outsideOfTheTestTree()));

	@ArchTest
	static final ArchRule whatUsersOfLocksNeedIsIgnorantOfTheContract = noClasses().that()
		.resideInAPackage(PUBLISHED)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(PUBLISHED + ".contract");

	private static DescribedPredicate<JavaClass> outsideOfTheTestTree() {
		return DescribedPredicate.describe("outside of the test tree",
				(type) -> type.getSource()
					.map((source) -> !source.getUri().toString().contains("/test-classes/"))
					.orElse(true));
	}

	/** What the jar has. */
	static final class Support implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("Tests");
		}

	}

}
