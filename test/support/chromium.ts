import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * A browser of this machine: the one in `CHROMIUM`, which then has to exist, or one in a usual
 * path; undefined if there is none.
 */
export const chromiumPath: string | undefined =
  process.env.CHROMIUM || places.find((path) => existsSync(path))

export function openChromium(executablePath: string): Promise<Browser> {
  // Containers often do not support its sandbox; the page is our own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  return chromium.launch({ executablePath, args, timeout: 120_000 })
}
