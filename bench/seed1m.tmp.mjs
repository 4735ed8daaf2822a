const { databaseOf } = await import('/work/wt/harness/bench/others-wait/data.mjs')
const t = performance.now()
await databaseOf('/tmp/ow-cache', 1_000_000)
console.log('seeded in', performance.now() - t)
