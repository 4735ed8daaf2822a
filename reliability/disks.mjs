// Disks that fail under a service over SQLite, with files in a folder.
//   node reliability/disks.mjs [--only='disk full,locked file'] [--stores=documents,tables]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopAll } from '../bench/harness/processes.mjs'
import { faults } from './disks/faults.mjs'
import { mountFault, unmountAll } from './disks/place.mjs'
import { Scenario } from './disks/scenario.mjs'
import { chosenNames } from './harness/chosen.mjs'

const layoutNames = /** @type {const} */ (['documents', 'tables'])
let checkCount = 0
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: faults.map(({ name }) => name).join(',') },
    stores: { type: 'string', default: layoutNames.join(',') },
  },
})
const only = chosenNames(
  'only',
  values.only.split(','),
  faults.map(({ name }) => name),
)
const layouts = chosenNames('stores', values.stores.split(','), layoutNames)
const folder = mkdtempSync(join(tmpdir(), 'disks-'))
const cannotMount = mountFault(folder)

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, async () => {
    await end()
    process.exit(1)
  })

try {
  await Promise.all(layouts.map(runFaults))
  if (checkCount === 0) {
    console.error('Wrong: nothing was checked.')
    process.exitCode = 1
  }
} finally {
  await end()
}

/** @param {'documents' | 'tables'} layout */
async function runFaults(layout) {
  for (const [index, fault] of faults.entries()) {
    if (!only.includes(fault.name)) continue
    const title = `${layout}, ${fault.name}`
    if (fault.isMounted && cannotMount !== undefined) {
      console.log(`${title}: left out, because it mounts file systems: ${cannotMount}`)
      continue
    }
    const scenario = new Scenario({ data: join(folder, `${layout}-${index}`), layout })
    const startedAt = performance.now()
    await fault.run(scenario)
    checkCount++
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    console.log(`${title} (${seconds} s)`)
    for (const line of scenario.figures) console.log(`  ${line}`)
    for (const line of new Set(scenario.wrong)) console.error(`  Wrong: ${line}`)
    if (scenario.wrong.length > 0) process.exitCode = 1
  }
}

async function end() {
  await stopAll()
  unmountAll()
  rmSync(folder, { recursive: true, force: true })
}
