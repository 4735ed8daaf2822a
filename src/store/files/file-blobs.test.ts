import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import nodeFiles, { type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { expectSame, keysOf, readAll } from '../../contracts/blob-store/harness.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import { makeBlobKey } from '../blobs/blob-key.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { createDisk, type FileSystem } from './disk.ts'
import { fileBlobs } from './file-blobs.ts'
import { fileBlobsOnDisk } from './file-blobs-on-disk.ts'

const folders: string[] = []
const newFolder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'file-blobs-')))
  return folders.at(-1)!
}
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name)

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

blobStoreContract('files', async () => {
  const folder = join(newFolder(), 'new', 'blobs')
  const blobs = fileBlobs(folder)
  await blobs.open()
  return {
    blobs,
    chunkBytes: 262_144,
    listFiles: async () => filesIn(folder),
    async openAgain() {
      const other = fileBlobs(folder, { durability: 'normal' })
      await other.open()
      return other
    },
    dispose: () => blobs.close(),
  }
})

describe('fileBlobs', () => {
  it('is unavailable while its folder is gone, or is that of another volume', async () => {
    const folder = join(newFolder(), 'blobs')
    const blobs = fileBlobs(folder)
    await blobs.open()
    const key = await blobs.write(inPieces(bytesOf(10)))
    renameSync(folder, `${folder}.away`)
    const message = `The blob folder '${folder}' is gone, or has another content. Mount or restore it; a service that starts makes a new one.`
    const expectUnavailable = async () => {
      for (const call of [blobs.read(key), blobs.write(inPieces(bytesOf(10)))]) {
        await expect(call).rejects.toBeInstanceOf(StoreUnavailable)
        await expect(call).rejects.toThrow(message)
      }
    }
    await expectUnavailable()
    // Where a volume is not mounted, its folder is empty.
    mkdirSync(folder)
    await expectUnavailable()
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    renameSync(`${folder}.away`, folder)
    expectSame(await readAll(blobs, key), bytesOf(10))
    await blobs.write(inPieces(bytesOf(10)))
    await blobs.close()
  })

  it('3.5: never leaves its folder through links in it', async () => {
    const [folder, outside] = [newFolder(), newFolder()]
    const blobs = fileBlobs(folder)
    await blobs.open()
    const key = makeBlobKey()
    writeFileSync(join(outside, key), 'a secret')

    symlinkSync(outside, join(folder, key.slice(-2)))
    expect(await blobs.read(key)).toBeUndefined()
    await blobs.delete([key])
    expect(readFileSync(join(outside, key), 'utf8')).toBe('a secret')

    const another = makeBlobKey()
    mkdirSync(join(folder, another.slice(-2)), { recursive: true })
    symlinkSync(join(outside, key), join(folder, another.slice(-2), another))
    expect(await blobs.read(another)).toBeUndefined()
    await blobs.delete([another])
    expect(readFileSync(join(outside, key), 'utf8')).toBe('a secret')

    symlinkSync(outside, join(folder, 'incoming', 'link'))
    for (let tries = 0; tries < 600; tries++)
      await blobs.write(inPieces(bytesOf(3))).catch(() => {})
    expect(readdirSync(outside)).toEqual([key])
  })

  it('may be opened through a link', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    const blobs = fileBlobs(join(folder, 'link'))
    await blobs.open()
    const key = await blobs.write(inPieces(bytesOf(10)))
    expectSame(await readAll(blobs, key), bytesOf(10))
    expect(filesIn(join(folder, 'real'))).toEqual([key])
  })

  it('ignores files of others in its folder', async () => {
    const folder = newFolder()
    const blobs = fileBlobs(folder)
    await blobs.open()
    const key = await blobs.write(inPieces(bytesOf(10)))
    writeFileSync(join(folder, 'README'), 'x')
    writeFileSync(join(folder, key.slice(-2), 'notes.txt'), 'x')
    mkdirSync(join(folder, key.slice(-2), makeBlobKey()))
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other', makeBlobKey()), 'x')
    expect(await keysOf(blobs)).toEqual([key])
  })

  it('refuses calls before open()', async () => {
    await expect(fileBlobs(newFolder()).write(inPieces(bytesOf(1)))).rejects.toThrow(
      'Call open() first',
    )
  })

  it('is unavailable while its folder cannot be created, and works once it can', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'taken'), 'a file, not a folder')
    const blobs = fileBlobs(join(folder, 'taken', 'blobs'))
    await expect(blobs.open()).rejects.toThrow(StoreUnavailable)
    rmSync(join(folder, 'taken'))
    await blobs.open()
    expectSame(await readAll(blobs, await blobs.write(inPieces(bytesOf(10)))), bytesOf(10))
  })
})

describe('fileBlobs on a failing disk', () => {
  const codes = ['ENOSPC', 'EIO', 'EMFILE']

  it('4.3: leaves no part of a blob, whichever call of an upload fails', async () => {
    for (const code of codes) {
      const folder = newFolder()
      for (let call = 1; ; call++) {
        const fault = failingAt(call, code)
        const blobs = fileBlobsOnDisk(createDisk(fault.files), folder)
        fault.pause()
        await blobs.open()
        fault.resume()
        const outcome = await blobs
          .write(inPieces(bytesOf(40_000)))
          .catch((error: unknown) => error)
        fault.pause()
        if (fault.failed() === undefined) {
          expect(call).toBeGreaterThan(8)
          expectSame(await readAll(blobs, outcome as string), bytesOf(40_000))
          break
        }
        expect([fault.failed(), outcome]).toEqual([fault.failed(), expect.any(StoreUnavailable)])
        expect([fault.failed(), filesIn(folder)]).toEqual([fault.failed(), []])
      }
    }
  })

  it('4.3: fails if any call of a read fails, leaves no file open, and reads again', async () => {
    const folder = newFolder()
    const bytes = bytesOf(600_000)
    for (let call = 1; ; call++) {
      const fault = failingAt(call, 'EIO')
      const blobs = fileBlobsOnDisk(createDisk(fault.files), folder)
      fault.pause()
      await blobs.open()
      const key = await blobs.write(inPieces(bytes))
      fault.resume()
      const outcome = await readAll(blobs, key).catch((error: unknown) => error)
      fault.pause()
      if (fault.failed() === undefined) {
        expect(call).toBeGreaterThan(5)
        break
      }
      expect([fault.failed(), outcome]).toEqual([fault.failed(), expect.any(StoreUnavailable)])
      if (fault.failed() !== 'close') expect(fault.open()).toBe(0)
      expectSame(await readAll(blobs, key), bytes)
    }
  })

  it('lists and deletes an upload that it could not remove', async () => {
    const fault = failingAt(Number.POSITIVE_INFINITY, 'EIO', ['write', 'unlink'])
    const blobs = fileBlobsOnDisk(createDisk(fault.files), newFolder())
    await blobs.open()
    await expect(blobs.write(inPieces(bytesOf(10)))).rejects.toThrow(StoreUnavailable)
    fault.pause()
    const [key] = await keysOf(blobs)
    expect(key).toBeTypeOf('string')
    expect(await blobs.read(key!)).toBeUndefined()
    await blobs.delete([key!])
    expect(await keysOf(blobs)).toEqual([])
  })
})

/** A file system whose n-th call fails, or every call of some methods. It counts open files. */
function failingAt(call: number, code: string, always: readonly string[] = []) {
  let count = 0
  let isPaused = false
  let failed: string | undefined
  let open = 0
  const fails = (name: string) => {
    if (isPaused || (++count !== call && !always.includes(name))) return false
    failed = name
    return true
  }
  const fault = () => Object.assign(new Error(`${code}: made to fail`), { code })
  const watched = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(_, name) {
        const method = Reflect.get(target, name, target)
        if (typeof method !== 'function' || typeof name !== 'string') return method
        return async (...parameters: unknown[]) => {
          if (name === 'close') {
            open--
            await Reflect.apply(method, target, parameters)
            if (fails(name)) throw fault()
            return undefined
          }
          if (names.includes(name) && fails(name)) throw fault()
          const result: unknown = await Reflect.apply(method, target, parameters)
          if (name !== 'open') return result
          open++
          return watched(result as FileHandle, ['write', 'sync', 'read', 'stat'])
        }
      },
    })
  return {
    files: watched<FileSystem>(nodeFiles, [
      'lstat',
      'mkdir',
      'open',
      'readdir',
      'realpath',
      'rename',
      'unlink',
    ]),
    failed: () => failed,
    open: () => open,
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
  }
}
