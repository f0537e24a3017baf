package io.leasehold.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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
		// Chromium's windows are not narrower than 500 pixels
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	void open(String address) {
		this.driver.get(address);
	}

	void click(String selector) {
		this.driver.findElement(By.cssSelector(selector)).click();
	}

	/** Click in one step, because the page shows and hides elements. */
	void clickIfShown(String selector) {
		this.driver.executeScript(
				"const shown = document.querySelector(arguments[0]); if (!shown.hidden) { shown.click(); }", selector);
	}

	void type(String selector, String value) {
		this.driver.findElement(By.cssSelector(selector)).clear();
		this.driver.findElement(By.cssSelector(selector)).sendKeys(value);
	}

	String text(String selector) {
		return (String) evaluate("textContent", selector);
	}

	int number(String selector) {
		return text(selector).matches("\\d+") ? Integer.parseInt(text(selector)) : 0;
	}

	int count(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).size();
	}

	String attribute(String selector, String name) {
		return (String) evaluate("getAttribute('%s')".formatted(name), selector);
	}

	/** Evaluate in one step, because the page replaces elements. */
	private Object evaluate(String expression, String selector) {
		return this.driver.executeScript("return document.querySelector(arguments[0])." + expression, selector);
	}

	/** Return what is wider than the space that it has, such as a part of the page. */
	@SuppressWarnings("unchecked")
	List<String> cut() {
		return (List<String>) this.driver.executeScript("""
				return [document.documentElement, ...document.querySelectorAll("body *")]
					.filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
					.map((one) => one.outerHTML.substring(0, 200))""");
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
