import { stopAll as stopServices } from '../../bench/harness/processes.mjs'
import { newRunFolder, stopAll as stopDaemons } from './daemons.mjs'

/**
 * Ends all programs of a run, and deletes its folder, however it ends.
 *
 * @param {(folder: string) => Promise<unknown>} work
 */
export async function inRunFolder(work) {
  const folder = newRunFolder()
  const end = async () => {
    await stopServices()
    await stopDaemons(folder)
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, async () => {
      await end()
      process.exit(1)
    })
  try {
    await work(folder)
  } finally {
    await end()
  }
  process.exit()
}
