// @ts-check
// Plain JavaScript, so that it runs from the sources as well as from what is built.
import { workerData } from 'node:worker_threads'

const { file, driver } = workerData
const { DatabaseSync } = await import(driver)
const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
// Waits for nobody: what readers still need is left to the next checkpoint.
database.exec('pragma wal_checkpoint(passive)')
database.close()
