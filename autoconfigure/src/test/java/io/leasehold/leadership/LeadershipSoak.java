package io.leasehold.leadership;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three JVMs that are candidates for a role, and are killed, frozen, restarted, cut off
 * and ordered to step down at random: never two lead, and terms grow. The system
 * properties {@code soak.time} and {@code soak.seed} are those of the soak of locks.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
public abstract class LeadershipSoak {

	private static final int PLACES = 3;

	private final Duration time = DurationStyle.detectAndParse(System.getProperty("soak.time", "1m"));

	private final long seed = Long.getLong("soak.seed", ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));

	private final Path folder = Path.of("target", getClass().getSimpleName());

	/** Return the port of the server. */
	protected abstract int port();

	/** Return the address of the server through a port. */
	protected abstract EngineAddress address(int port);

	@Test
	void neverTwoLead() throws Exception {
		FileSystemUtils.deleteRecursively(this.folder);
		Files.createDirectories(this.folder);
		Random random = new Random(this.seed);
		long until = System.nanoTime() + this.time.toNanos();
		List<Place> places = new ArrayList<>();
		Terms terms = new Terms();
		try {
			for (int i = 0; i < PLACES; i++) {
				places.add(new Place(i, new Random(random.nextLong()), until));
			}
			Parallel.run(places);
		}
		finally {
			for (Place place : places) {
				place.close();
			}
		}
		Map<Disturbance, Integer> disturbances = new EnumMap<>(Disturbance.class);
		for (Place place : places) {
			place.struck.forEach((disturbance) -> disturbances.merge(disturbance, 1, Integer::sum));
			for (Path file : place.files) {
				terms.read(file);
			}
		}
		publish(terms, disturbances);
		assertThat(terms.contradictions()).isEmpty();
		assertThat(disturbances).containsOnlyKeys(Disturbance.values());
		assertThat(terms.count()).isGreaterThan(PLACES);
	}

	private void publish(Terms terms, Map<Disturbance, Integer> disturbances) throws IOException {
		List<Duration> vacancies = terms.vacancies();
		String report = """
				Soak of leaders of %s, seed %d
				disturbances        %s
				terms               %d
				samples             %d
				ends                %s
				without a leader    %s
				  longest           %s
				contradictions      %s
				""".formatted(this.time, this.seed, disturbances, terms.count(), terms.samples(), terms.ends(),
				vacancies.stream().reduce(Duration.ZERO, Duration::plus),
				vacancies.isEmpty() ? Duration.ZERO : vacancies.get(vacancies.size() - 1), terms.contradictions());
		System.out.println(report);
		Files.writeString(this.folder.resolve("report.txt"), report);
	}

	/** What happens to a JVM, for a while. */
	private enum Disturbance {

		FREEZE {
			@Override
			void strike(Place place) throws InterruptedException {
				place.jvm.process.freeze();
				place.pause(6000);
				place.jvm.process.wake();
			}
		},

		KILL {
			@Override
			void strike(Place place) {
				place.jvm.process.kill();
				place.launch();
			}
		},

		RESTART {
			@Override
			void strike(Place place) {
				place.jvm.stop();
				place.jvm.close();
				place.launch();
			}
		},

		STEP_DOWN {
			@Override
			void strike(Place place) {
				place.jvm.stepDown(Duration.ofMillis(place.random.nextInt(3000)));
			}
		},

		BLACK_HOLE {
			@Override
			void strike(Place place) throws InterruptedException {
				place.network.blackHole();
				place.pause(6000);
				place.network.heal();
			}
		},

		HELD_REPLIES {
			@Override
			void strike(Place place) throws InterruptedException {
				place.network.replies().hold();
				place.pause(6000);
				place.network.heal();
			}
		},

		LATE_REQUESTS {
			@Override
			void strike(Place place) throws InterruptedException {
				FaultProxy.Valve stranded = place.network.strandRequests();
				place.pause(6000);
				stranded.open();
			}
		},

		RESET {
			@Override
			void strike(Place place) throws InterruptedException {
				place.network.refuse();
				place.network.reset();
				place.pause(6000);
				place.network.heal();
			}
		};

		abstract void strike(Place place) throws InterruptedException;

	}

	/** A JVM with a network of its own, replaced by another one when it ends. */
	private final class Place implements Callable<Void>, AutoCloseable {

		private final FaultProxy network = FaultProxy.to(port());

		private final List<Path> files = new ArrayList<>();

		private final List<Disturbance> struck = new ArrayList<>();

		private final int number;

		private final Random random;

		private final long until;

		private LeadershipProcess jvm;

		private Place(int number, Random random, long until) {
			this.number = number;
			this.random = random;
			this.until = until;
			launch();
		}

		private void launch() {
			this.jvm = LeadershipProcess.start(address(this.network.port()), "leaders", Duration.ofSeconds(3));
			Path file = LeadershipSoak.this.folder.resolve("%d-%d.txt".formatted(this.number, this.files.size()))
				.toAbsolutePath();
			this.files.add(file);
			this.jvm.watch(file);
			assertThat(this.jvm.isLeader()).isIn(true, false); // it has begun
		}

		/** The first round is finished, however little time there is. */
		@Override
		public Void call() throws InterruptedException, IOException {
			List<Disturbance> round = new ArrayList<>();
			while (this.struck.size() < Disturbance.values().length || System.nanoTime() - this.until < 0) {
				if (round.isEmpty()) {
					round.addAll(List.of(Disturbance.values()));
					Collections.shuffle(round, this.random);
				}
				pause(4000);
				Disturbance next = round.remove(0);
				note(next + " begins");
				next.strike(this);
				note(next + " has ended");
				this.struck.add(next);
			}
			return null;
		}

		/** Write down what happens to the JVM, to see why a time was long. */
		private void note(String what) throws IOException {
			Files.writeString(LeadershipSoak.this.folder.resolve("disturbances.txt"),
					"%d %d %s%n".formatted(System.nanoTime(), this.number, what), StandardOpenOption.CREATE,
					StandardOpenOption.APPEND);
		}

		private void pause(int mostMillis) throws InterruptedException {
			Thread.sleep(this.random.nextInt(mostMillis));
		}

		@Override
		public void close() throws IOException {
			this.jvm.close();
			this.network.close();
		}

	}

}
