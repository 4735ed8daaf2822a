// Loaded before a server of the bench (`--import`): measures what its requests cost whatever else
// the machine does. It reads messages of the harness, and answers each with what it says there.
//   'memory' → 'memory' …    counts from the first to the second what V8 allocates
//   'calls' → 'calls' …      the same for calls of functions of the library

import { Session } from 'node:inspector/promises'
import { GCProfiler } from 'node:v8'

const LIBRARY = new URL('../../dist/', import.meta.url).href

/** The spaces of V8 for what is young. */
const YOUNG = ['new_space', 'new_large_object_space']

/** @type {GCProfiler | undefined} */
let collections
/** @type {Session | undefined} */
let session

process.on('message', async (message) => {
  if (message === 'memory') process.send?.(memory())
  if (message === 'calls') process.send?.(await calls())
})

/** @returns {{ allocatedBytes?: number, promotedBytes?: number }} */
function memory() {
  if (!collections) {
    // Twice, so that what survives is old, and no request is charged for it.
    globalThis.gc?.()
    globalThis.gc?.()
    collections = new GCProfiler()
    collections.start()
    // The first collection is where the count begins.
    collectYoung()
    return {}
  }
  collectYoung()
  const { statistics } = collections.stop()
  collections = undefined
  let allocatedBytes = 0
  let promotedBytes = 0
  for (const [index, { gcType, beforeGC, afterGC }] of statistics.entries()) {
    const last = statistics[index - 1]
    if (!last) continue
    const before = sizes(beforeGC)
    const after = sizes(afterGC)
    const start = sizes(last.afterGC)
    allocatedBytes += before.young + before.old - start.young - start.old
    promotedBytes += before.old - start.old
    // A major collection frees what is old, so what it promotes cannot be told from it.
    if (gcType === 'Scavenge') promotedBytes += after.old - before.old
  }
  return { allocatedBytes, promotedBytes }
}

function collectYoung() {
  globalThis.gc?.({ type: 'minor' })
}

/** @param {import('node:v8').GCProfilerResult['statistics'][number]['beforeGC']} heap */
function sizes({ heapSpaceStatistics }) {
  let young = 0
  let old = 0
  for (const { spaceName, spaceUsedSize } of heapSpaceStatistics) {
    if (YOUNG.includes(spaceName)) young += spaceUsedSize
    else old += spaceUsedSize
  }
  return { young, old }
}

/** @returns {Promise<{ calls?: number }>} */
async function calls() {
  if (!session) {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return {}
  }
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  session = undefined
  const functions = result
    .filter(({ url }) => url.startsWith(LIBRARY))
    .flatMap((file) => file.functions)
  return { calls: functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0) }
}
