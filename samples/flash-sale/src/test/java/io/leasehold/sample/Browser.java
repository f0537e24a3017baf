package io.leasehold.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * A headless Chromium with the page of an instance.
 */
final class Browser implements AutoCloseable {

	private final ChromeDriver driver;

	Browser(int width, int height, boolean dark) {
		ChromeOptions options = new ChromeOptions();
		options.setBinary("/usr/bin/chromium");
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--disable-background-networking", "--hide-scrollbars", "--window-size=%d,%d".formatted(width, height));
		if (dark) {
			options.addArguments("--blink-settings=preferredColorScheme=0");
		}
		this.driver = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(new File("/usr/bin/chromedriver")).build(),
				options);
	}

	void open(String address) {
		this.driver.get(address);
	}

	void click(String selector) {
		this.driver.findElement(By.cssSelector(selector)).click();
	}

	void type(String selector, String value) {
		this.driver.findElement(By.cssSelector(selector)).clear();
		this.driver.findElement(By.cssSelector(selector)).sendKeys(value);
	}

	String text(String selector) {
		return this.driver.findElement(By.cssSelector(selector)).getAttribute("textContent");
	}

	int number(String selector) {
		return text(selector).matches("\\d+") ? Integer.parseInt(text(selector)) : 0;
	}

	int count(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).size();
	}

	/** Return whether the page is wider than its window. */
	boolean overflows() {
		return Boolean.TRUE.equals(this.driver
			.executeScript("return document.documentElement.scrollWidth > document.documentElement.clientWidth"));
	}

	boolean isBelow(String selector, String other) {
		return this.driver.findElement(By.cssSelector(selector))
			.getLocation()
			.getY() > this.driver.findElement(By.cssSelector(other)).getLocation().getY();
	}

	void screenshot(Path file) throws IOException {
		Files.write(file, this.driver.getScreenshotAs(OutputType.BYTES));
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
