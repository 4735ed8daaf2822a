import { afterEachFile } from './after-tests.ts'

type Disposal = () => Promise<unknown>

/** More would hold more open files than some systems allow. */
const maxWaiting = 20
const waiting: Disposal[] = []

/**
 * Disposes of something later, together with others, and at the end of the file at the latest. To
 * close SQLite files collects the garbage of the process, and files that close together share a
 * collection.
 */
export async function disposeTogether(disposal: Disposal): Promise<void> {
  waiting.push(disposal)
  if (waiting.length >= maxWaiting) await disposeAll()
}

async function disposeAll(): Promise<void> {
  await Promise.all(waiting.splice(0).map((disposal) => disposal()))
}

afterEachFile(disposeAll)
