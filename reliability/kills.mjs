// Kills amid writers: no acknowledged write is lost, and none is applied in part.
//   node reliability/kills.mjs [--kills=1000] [--from=0] [--writers=16] [--only='sqlite-tables, 4']
//     [--short]

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { inRunFolder } from './harness/in-run-folder.mjs'
import { PostgresServer } from './harness/postgres-server.mjs'
import { Report } from './harness/report.mjs'
import { variants } from './kills/variants.mjs'
import { WrittenService } from './writers/written-service.mjs'

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    from: { type: 'string', default: '0' },
    writers: { type: 'string', default: '16' },
    only: { type: 'string', multiple: true },
    short: { type: 'boolean', default: false },
  },
})
/** Each way to kill, and each store, once. */
const quickNames = ['sqlite-documents, 4', 'sqlite-tables, 1', 'postgres, 1', 'postmaster, 4']
const known = variants.map(({ name }) => name)
const names = chosenNames('only', values.only ?? (values.short ? quickNames : known), known)
const chosen = variants.filter(({ name }) => names.includes(name))
const kills = countOf('kills', values.kills ?? (values.short ? chosen.length : 1_000))
const report = new Report()
let acknowledged = 0

await inRunFolder(async (folder) => {
  const isOnPostgres = chosen.some(({ store }) => store === 'postgres')
  const server = isOnPostgres ? await PostgresServer.start(folder) : undefined
  let done = 0
  for (const [index, variant] of chosen.entries()) {
    const until = Math.round(((index + 1) * kills) / chosen.length)
    const from = Math.max(done, Number(values.from))
    done = until
    if (from < until) await killBetween(from, until, variant, folder, server)
  }
  if (acknowledged === 0) report.add('unchecked', 'no write was acknowledged.')
  const counts = ['lost', 'twice', 'half-applied', 'not repeated', 'refused'].map(
    (kind) => `${report.count(kind)} ${kind}`,
  )
  console.log(
    `${kills - Number(values.from)} kills, ${acknowledged} acknowledged writes: ${counts.join(', ')}`,
  )
})

/**
 * @param {number} from
 * @param {number} until
 * @param {import('./kills/variants.mjs').Variant} variant
 * @param {string} folder
 * @param {PostgresServer | undefined} server
 */
async function killBetween(from, until, variant, folder, server) {
  const startedAt = performance.now()
  const { name, store, processes, victim } = variant
  const ownFolder = join(folder, name.replaceAll(/\W+/g, '_'))
  mkdirSync(ownFolder)
  const location =
    store === 'postgres' && server
      ? await server.createDatabase(`kills_${variants.indexOf(variant)}`)
      : join(ownFolder, 'kills.db')
  const service = new WrittenService({ store, processes, location }, ownFolder, report)
  const { writers } = service
  await service.start()
  for (let kill = from; kill < until; kill++) {
    await service.write(countOf('writers', values.writers))
    await wait(Math.random() * 20)
    if (victim === 'service') await service.kill()
    else {
      await server?.kill()
      await server?.start()
      await service.acknowledgedMore(1)
      await writers.stop()
    }
    await service.check()
    if ((kill + 1) % 25 === 0) console.log(`${kill + 1} kills; go on with --from=${kill + 1}`)
  }
  await service.end()
  acknowledged += writers.acknowledged
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  const figures = `${until - from} kills, ${writers.acknowledged} acknowledged writes, ${writers.entries.size} items`
  console.log(`${name.padEnd(20)} ${figures}, ${seconds} s`)
}
