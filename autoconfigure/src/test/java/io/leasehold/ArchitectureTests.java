package io.leasehold;

import java.time.Clock;
import java.util.Calendar;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.engine.support.DaemonThreads;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.NullMarked;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps the package table true: which package may use which, and what an
 * auto-configuration may look like. The first class of a new package needs a rule here.
 */
@AnalyzeClasses(packages = ArchitectureTests.ROOT, importOptions = ArchitectureTests.MainClasses.class)
class ArchitectureTests {

	static final String ROOT = "io.leasehold";

	private static final String ENGINE = ROOT + ".engine";

	private static final String SUPPORT = ENGINE + ".support";

	/** Engine of stores that each have a package of their own. */
	private static final String CAS = ENGINE + ".cas";

	private static final String REDIS_CONNECTION = ENGINE + ".redis.connection";

	private static final String REDLOCK = ENGINE + ".redlock";

	private static final String EVENT = ROOT + ".event";

	private static final String ANNOTATION = ROOT + ".annotation";

	private static final String KEY = ROOT + ".key";

	private static final String SERVICE = ROOT + ".service";

	private static final String GATE = SERVICE + ".gate";

	private static final String LEADERSHIP = ROOT + ".leadership";

	private static final String TRANSACTION = ROOT + ".transaction";

	private static final String REACTIVE = ROOT + ".reactive";

	private static final String INTERCEPTOR = ROOT + ".interceptor";

	private static final String METRICS = ROOT + ".metrics";

	private static final String OBSERVATION = ROOT + ".observation";

	private static final String HEALTH = ROOT + ".health";

	private static final String ENDPOINT = ROOT + ".endpoint";

	private static final String WEB = ROOT + ".web";

	private static final String INTEGRATION = ROOT + ".integration";

	private static final String SHEDLOCK = ROOT + ".shedlock";

	/** What the auto-configurations of all engines share. */
	private static final String CONFIGURATION = ROOT + ".autoconfigure";

	private static final String CONTAINERS = CONFIGURATION + ".containers";

	private static final String AUTOCONFIGURE = CONFIGURATION + "..";

	@ArchTest
	static final ArchRule rootUsesNoOtherPackage = only(ROOT);

	@ArchTest
	static final ArchRule annotationUsesOnlyTheRoot = only(ANNOTATION, ROOT);

	@ArchTest
	static final ArchRule keyUsesOnlyTheRoot = only(KEY, ROOT);

	@ArchTest
	static final ArchRule engineSpiUsesOnlyTheRoot = only(ENGINE, ROOT);

	@ArchTest
	static final ArchRule supportOfEnginesUsesOnlyTheSpiAndRoot = only(SUPPORT, ENGINE, ROOT);

	@ArchTest
	static final ArchRule enginesUseOnlyTheSpi = classes().that()
		.resideInAPackage(ENGINE + ".*..")
		.should()
		.onlyDependOnClassesThat(outside().or(resideInAnyPackage(ROOT, ENGINE, ENGINE + ".*..")))
		.allowEmptyShould(true);

	/** Except for the connections to Redis, a library of two engines. */
	@ArchTest
	static final ArchRule enginesAreIgnorantOfEachOther = slices().matching(ENGINE + ".(*)..")
		.should()
		.notDependOnEachOther()
		.ignoreDependency(alwaysTrue(), resideInAnyPackage(SUPPORT, CAS))
		.ignoreDependency(resideInAPackage(REDLOCK), resideInAPackage(REDIS_CONNECTION))
		.allowEmptyShould(true);

	/** Connections know no locks, so that another engine can use them. */
	@ArchTest
	static final ArchRule redisConnectionsKnowNoEngine = only(REDIS_CONNECTION, SUPPORT, ROOT);

	@ArchTest
	static final ArchRule redlockUsesOnlyRedisConnectionsSpiSupportAndRoot = only(REDLOCK, REDIS_CONNECTION, ENGINE,
			SUPPORT, ROOT);

	@ArchTest
	static final ArchRule eventUsesOnlySupportAndRoot = only(EVENT, SUPPORT, ROOT);

	/** Others inherit values of the caller for whom they are started. */
	@ArchTest
	static final ArchRule threadsAreDaemonThreads = noClasses().that()
		.doNotBelongToAnyOf(DaemonThreads.class)
		.should()
		.callConstructorWhere(
				describe("creates a thread", (call) -> call.getTargetOwner().isAssignableTo(Thread.class)))
		.orShould()
		.dependOnClassesThat(describe("create threads", (type) -> type.isEquivalentTo(Executors.class)
				|| type.isEquivalentTo(CustomizableThreadFactory.class)));

	@ArchTest
	static final ArchRule gateUsesOnlySpiEventsAndRoot = only(GATE, ENGINE, SUPPORT, EVENT, ROOT);

	@ArchTest
	static final ArchRule serviceUsesOnlyItsPartsSpiEventsAndRoot = only(SERVICE, GATE, ENGINE, SUPPORT, EVENT, ROOT);

	@ArchTest
	static final ArchRule leadershipUsesOnlyServiceSupportAndRoot = only(LEADERSHIP, SERVICE, SUPPORT, ROOT);

	@ArchTest
	static final ArchRule transactionUsesOnlyServiceSupportReactiveAndRoot = only(TRANSACTION, SERVICE, SUPPORT,
			REACTIVE, ROOT);

	@ArchTest
	static final ArchRule reactiveUsesOnlyTheRoot = only(REACTIVE, ROOT);

	@ArchTest
	static final ArchRule interceptorUsesOnlyWhatRunsMethodsUnderLocks = only(INTERCEPTOR, ANNOTATION, KEY, SERVICE,
			LEADERSHIP, REACTIVE, SUPPORT, ROOT);

	@ArchTest
	static final ArchRule metricsOnlyObserve = only(METRICS, EVENT, SERVICE, LEADERSHIP, ROOT);

	@ArchTest
	static final ArchRule observationOnlyObserves = only(OBSERVATION, EVENT, SERVICE, ROOT);

	@ArchTest
	static final ArchRule healthOnlyObserves = only(HEALTH, EVENT, SERVICE, LEADERSHIP, ROOT);

	@ArchTest
	static final ArchRule endpointOnlyObserves = only(ENDPOINT, EVENT, SERVICE, LEADERSHIP, ROOT);

	@ArchTest
	static final ArchRule webUsesOnlyTheRoot = only(WEB, ROOT);

	@ArchTest
	static final ArchRule integrationUsesOnlyKeysAndRoot = only(INTEGRATION, KEY, ROOT);

	@ArchTest
	static final ArchRule shedLockUsesOnlyTheRoot = only(SHEDLOCK, ROOT);

	@ArchTest
	static final ArchRule nothingUsesAutoconfigure = classes().that()
		.resideOutsideOfPackage(AUTOCONFIGURE)
		.should()
		.onlyDependOnClassesThat(not(resideInAPackage(AUTOCONFIGURE)))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule containersUseOnlyConnectionDetails = classes().that()
		.resideInAPackage(CONTAINERS)
		.should()
		.onlyDependOnClassesThat(outside().or(resideInAPackage(CONTAINERS)).or(assignableTo(ConnectionDetails.class)));

	/** Otherwise an application without these libraries might load them. */
	@ArchTest
	static final ArchRule onlyContainersKnowDockerComposeAndTestcontainers = noClasses().that()
		.resideOutsideOfPackage(CONTAINERS)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(CONTAINERS, "org.springframework.boot.docker..",
				"org.springframework.boot.testcontainers..", "org.testcontainers..");

	/** Except for {@code local}, which replaces all engines that are disabled. */
	@ArchTest
	static final ArchRule commonAutoConfigurationKnowsNoEngine = noClasses().that()
		.resideInAnyPackage(CONFIGURATION, CONFIGURATION + ".actuate", CONFIGURATION + ".fencing")
		.should()
		.dependOnClassesThat(
				resideInAPackage(ENGINE + ".*..").and(not(resideInAnyPackage(SUPPORT, ENGINE + ".local"))));

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching(ROOT + ".(**)")
		.should()
		.beFreeOfCycles()
		.allowEmptyShould(true);

	/** A class is understood together with all those that it is in a circle with. */
	@ArchTest
	static void circlesOfClassesAreSmall(JavaClasses classes) {
		assertThat(ClassCircles.among(classes)).allSatisfy((circle) -> assertThat(circle).hasSizeLessThanOrEqualTo(3));
	}

	@ArchTest
	static void serviceAndEnginesHaveNoCirclesOfClasses(JavaClasses classes) {
		assertThat(ClassCircles.among(classes.that(resideInAnyPackage(SERVICE + "..", ENGINE + "..")))).isEmpty();
	}

	/** A gate decides; who called it acts. */
	@ArchTest
	static final ArchRule gatesStartNothing = noClasses().that()
		.resideInAPackage(GATE)
		.should()
		.dependOnClassesThat()
		.areAssignableTo(Executor.class)
		.orShould()
		.callMethodWhere(describe("sends a request to the store", (call) -> call.getTargetOwner()
			.isEquivalentTo(LockEngine.class)
				&& !Set.of("name", "capabilities", "minLease", "receivesRecalls", "inDoubt").contains(call.getName())));

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = classes().should(resideInANullMarkedPackage());

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule autoConfigurationsHaveNoPublicMembers = methods().that()
		.areDeclaredInClassesThat()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.notBePublic()
		.allowEmptyShould(true);

	/**
	 * Boot sorts auto-configurations by name before it follows "after". An earlier one of
	 * ours, or one that names another library's, would pull that one to the front, before
	 * the beans that it depends on.
	 */
	@ArchTest
	static final ArchRule autoConfigurationsComeAfterAllOthersAndNameNone = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should(beLastAndNameNoOther());

	/** Other names may belong to beans of the application. */
	@ArchTest
	static final ArchRule beansHaveNamesOfTheirOwn = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.haveNameMatching("leasehold[A-Z].*|locksHealthContributor")
		.because("the health contributor is named after its component, and backs off by name");

	@ArchTest
	static final ArchRule beanMethodsOfAutoConfigurationsAreNotPublic = methods().that()
		.areAnnotatedWith(Bean.class)
		.and()
		.areDeclaredInClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.should()
		.notBePublic()
		.allowEmptyShould(true);

	/**
	 * Wall clocks differ and jump. They serve only for times that people read, for the
	 * first grant number without a store that keeps it, and to detect a suspension.
	 */
	@Fault(5)
	@ArchTest
	static void noClassReadsTheWallClock(JavaClasses classes) {
		noClasses().that()
			.doNotBelongToAnyOf(LocalLockEngine.class, MonotonicClock.class)
			.and()
			.doNotHaveFullyQualifiedName(ENGINE + ".local.Place")
			.and()
			.doNotHaveFullyQualifiedName(CAS + ".Micros")
			.and()
			.doNotHaveFullyQualifiedName(GATE + ".Survey")
			.should()
			.accessTargetWhere(asksTheWallClock())
			.check(classes);
	}

	/**
	 * The classes of a package use, of ours, only that package and the given ones.
	 */
	private static ArchRule only(String owner, String... others) {
		return classes().that()
			.resideInAPackage(owner)
			.should()
			.onlyDependOnClassesThat(outside().or(resideInAPackage(owner)).or(resideInAnyPackage(others)))
			.allowEmptyShould(true);
	}

	private static DescribedPredicate<JavaAccess<?>> asksTheWallClock() {
		return describe("asks the wall clock", (access) -> {
			JavaClass owner = access.getTargetOwner();
			String name = access.getName();
			return name.equals("currentTimeMillis")
					|| (name.equals("now") && owner.getPackageName().equals("java.time"))
					|| (owner.isEquivalentTo(Clock.class) && !name.startsWith("fixed"))
					|| (owner.isEquivalentTo(Date.class) && access.getTarget().getFullName().endsWith("<init>()"))
					|| (owner.isAssignableTo(Calendar.class) && name.equals("getInstance"));
		});
	}

	private static DescribedPredicate<JavaClass> outside() {
		return not(resideInAPackage(ROOT + "..")).as("outside of " + ROOT);
	}

	private static ArchCondition<JavaClass> beLastAndNameNoOther() {
		return new ArchCondition<>("be last, and name only auto-configurations of Leasehold") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				Class<?> reflected = type.reflect();
				AutoConfigureOrder order = reflected.getAnnotation(AutoConfigureOrder.class);
				AutoConfiguration named = reflected.getAnnotation(AutoConfiguration.class);
				boolean foreign = Stream.of(named.before(), named.after())
					.flatMap(Stream::of)
					.map(Class::getName)
					.anyMatch((name) -> !name.startsWith(ROOT))
						|| named.beforeName().length + named.afterName().length > 0;
				if (foreign || order == null || order.value() != Ordered.LOWEST_PRECEDENCE) {
					events.add(SimpleConditionEvent.violated(type, type.getName()));
				}
			}

		};
	}

	private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
		return new ArchCondition<>("reside in a @NullMarked package") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
					events.add(SimpleConditionEvent.violated(type,
							"package %s of %s is not @NullMarked".formatted(type.getPackageName(), type.getName())));
				}
			}

		};
	}

	/**
	 * ArchUnit's own option knows only builds whose directory is {@code target}.
	 */
	static final class MainClasses implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("/test-classes/");
		}

	}

}
