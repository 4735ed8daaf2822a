// File systems that can be full or read-only, in a folder of one run.

import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Where a service has its data.
 *
 * @typedef {{ data: string, layout: 'documents' | 'tables' }} Place
 */

/** @param {string[]} command */
const run = ([program = '', ...args]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** @type {Set<string>} */
const mounted = new Set()

/** A small file system in memory. @param {string} folder */
export function mountSmall(folder) {
  mkdirSync(folder, { recursive: true })
  run(['mount', '-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder])
  mounted.add(folder)
}

/** @param {string} folder */
export function fill(folder) {
  const file = openSync(join(folder, 'ballast'), 'w')
  const bytes = Buffer.alloc(4096)
  try {
    for (;;) writeSync(file, bytes)
  } catch {
    // It is full.
  } finally {
    closeSync(file)
  }
}

/** @param {string} folder */
export const free = (folder) => rmSync(join(folder, 'ballast'))

/** @param {string} folder @param {'ro' | 'rw'} mode */
export const remount = (folder, mode) => run(['mount', '-o', `remount,${mode}`, folder])

/** A file system that becomes read-only after an error of its disk, with files open. */
export class FailingDisk {
  #folder
  #image

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder
    this.#image = `${folder}.img`
    mkdirSync(folder, { recursive: true })
    writeFileSync(this.#image, '')
    truncateSync(this.#image, 24 * 2 ** 20)
    run(['mkfs.ext4', '-q', '-m', '0', this.#image])
  }

  mount() {
    run(['mount', '-o', 'loop,errors=remount-ro', this.#image, this.#folder])
    mounted.add(this.#folder)
  }

  /** Does as if the kernel had read something wrong from the disk. */
  fail() {
    const device = basename(run(['findmnt', '-no', 'SOURCE', this.#folder]))
    writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1')
  }

  /** The disk is checked, and mounted again. */
  repair() {
    unmount(this.#folder)
    try {
      run(['e2fsck', '-p', '-f', this.#image])
    } catch (error) {
      // 1: errors were corrected.
      if (/** @type {{ status?: number }} */ (error).status !== 1) throw error
    }
    this.mount()
  }
}

/**
 * Why file systems cannot be mounted here; undefined if they can.
 *
 * @param {string} folder
 */
export function mountFault(folder) {
  if (process.platform !== 'linux') return 'Linux is needed'
  if (process.getuid?.() !== 0) return 'root is needed'
  try {
    mountSmall(join(folder, 'small'))
    new FailingDisk(join(folder, 'failing')).mount()
    return undefined
  } catch (error) {
    return /** @type {Error} */ (error).message.split('\n').slice(0, 2).join(' ')
  } finally {
    unmountAll()
  }
}

/** @param {string} folder */
export function unmount(folder) {
  if (!mounted.delete(folder) || !existsSync(folder)) return
  run(['umount', '--lazy', folder])
}

export function unmountAll() {
  for (const folder of mounted) unmount(folder)
}
