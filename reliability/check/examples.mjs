import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '../harness/services.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const observer = new URL('observe.mjs', import.meta.url).href

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {readonly string[]} bases of its services
 * @property {import('../harness/services.mjs').Service} service
 * @property {() => Promise<Record<string, string>>} headers of a caller who may do the most
 */

/**
 * Starts both examples as they are built, with their data in the folder.
 *
 * @param {string} folder
 * @returns {Promise<readonly Example[]>}
 */
export async function startExamples(folder) {
  const environment = { PORT: '0', NODE_OPTIONS: `--import=${observer}` }
  const main = (/** @type {string} */ name) => join(root, `examples/${name}/dist/main.js`)
  const bookstore = await startService(main('bookstore'), {
    environment: {
      ...environment,
      LOG: 'silent',
      DATABASE_URL: `sqlite:${join(folder, 'bookstore.db')}`,
      BLOBS_DIR: join(folder, 'bookstore-blobs'),
    },
  })
  // The conference names its files from the folder that it is started in.
  const home = join(folder, 'conference')
  mkdirSync(join(home, '.data'), { recursive: true })
  symlinkSync(join(root, 'examples'), join(home, 'examples'))
  const conference = await startService(main('conference'), { environment, folder: home })
  return [
    {
      name: 'bookstore',
      bases: ['/api', '/json-api'],
      service: bookstore,
      headers: async () => ({}),
    },
    {
      name: 'conference',
      bases: ['/api'],
      service: conference,
      // Tokens are valid for an hour.
      headers: async () => {
        const response = await fetch(`http://127.0.0.1:${conference.port}/token/olga`)
        return { authorization: `Bearer ${await response.text()}` }
      },
    },
  ]
}
