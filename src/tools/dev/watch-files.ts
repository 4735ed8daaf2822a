import { createHash } from 'node:crypto'
import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Editors write a file in several steps; the last one is followed by so much quiet. */
const quietMs = 20

/** Editors that delete a file write it again within this time. */
const absenceMs = 150

/** Calls a function when the content of one of some files changes. */
export class FileWatcher {
  readonly #onChange: (paths: readonly string[]) => void
  #contents = new Map<string, string | undefined>()
  #watchers: readonly FSWatcher[] = []
  #timer: NodeJS.Timeout | undefined
  #absentSince: number | undefined

  /** @param onChange gets the paths of the files that differ */
  constructor(onChange: (paths: readonly string[]) => void) {
    this.#onChange = onChange
  }

  /** Watches these files instead of those before. Files that do not exist may be created. */
  watch(paths: Iterable<string>): void {
    const contents = new Map<string, string | undefined>()
    // A change between its last reading and now is one, too.
    for (const path of paths)
      contents.set(path, this.#contents.has(path) ? this.#contents.get(path) : contentOf(path))
    this.#contents = contents
    this.#watchFolders()
    this.#wait()
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
  }

  /** Folders are watched, because a file that is replaced is another one to the system. */
  #watchFolders(): void {
    for (const watcher of this.#watchers) watcher.close()
    const namesByFolder = new Map<string, Set<string>>()
    for (const path of this.#contents.keys()) {
      const [folder, name] = nearestFolder(path)
      const names = namesByFolder.get(folder) ?? new Set()
      namesByFolder.set(folder, names.add(name))
    }
    this.#watchers = [...namesByFolder].map(([folder, names]) =>
      watch(folder, (_, name) => {
        if (name === null || names.has(name)) this.#wait()
      }).on('error', () => undefined),
    )
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#compare(), quietMs)
  }

  #compare(): void {
    const changed: string[] = []
    const contents = new Map(this.#contents)
    for (const [path, before] of this.#contents) {
      const now = contentOf(path)
      if (now === before) continue
      contents.set(path, now)
      changed.push(path)
    }
    const isAbsent = changed.some((path) => contents.get(path) === undefined)
    if (isAbsent && !this.#isAbsentForLong()) return void this.#wait()
    this.#absentSince = undefined
    if (changed.length === 0) return
    this.#contents = contents
    // Folders may have been deleted and created.
    this.#watchFolders()
    this.#onChange(changed)
  }

  #isAbsentForLong(): boolean {
    this.#absentSince ??= performance.now()
    return performance.now() - this.#absentSince >= absenceMs
  }
}

/** The nearest folder of a path that exists, and the name in it that leads to the path. */
function nearestFolder(path: string): readonly [folder: string, name: string] {
  let name = basename(path)
  let folder = dirname(path)
  while (!existsSync(folder) && dirname(folder) !== folder) {
    name = basename(folder)
    folder = dirname(folder)
  }
  return [folder, name]
}

/** A hash of the content; undefined where there is no such file. */
function contentOf(path: string): string | undefined {
  try {
    return createHash('sha1').update(readFileSync(path)).digest('base64')
  } catch {
    return undefined
  }
}
