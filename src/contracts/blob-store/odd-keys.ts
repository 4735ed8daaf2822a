import fc from 'fast-check'
import { expect } from 'vitest'
import { makeBlobKey } from '../../store/public.ts'
import { bytesOf, inPieces } from '../bytes.ts'
import { type BlobSuite, expectSame, keysOf, readAll } from './harness.ts'

export function oddKeys(suite: BlobSuite): void {
  suite.alone(
    'knows no blob by a key that was never made, and harms none by deleting it',
    async ({ blobs }) => {
      const key = await blobs.write(inPieces(bytesOf(10)))
      const odd = [
        '',
        '.',
        '..',
        '/',
        '../../../../etc/passwd',
        '..\\..\\windows\\system32',
        '%2e%2e%2fetc%2fpasswd',
        '/etc/passwd',
        'C:\\boot.ini',
        'file:///etc/passwd',
        '\0',
        `${key}\0`,
        `${key}/`,
        `/${key}`,
        `./${key}`,
        `${key}/..`,
        ` ${key}`,
        `${key}\n`,
        key.slice(0, -1),
        key.slice(0, -2),
        key.toUpperCase(),
        `${key.slice(0, 14)}4${key.slice(15)}`,
        'a'.repeat(100_000),
        '__proto__',
        'constructor',
        'nul',
        'incoming',
        '\ud800',
        'ключ',
        "' or 1=1 --",
        '%',
        '_'.repeat(36),
        '*',
        '<Key>',
        makeBlobKey(),
      ]
      for (const entry of odd)
        expect(await blobs.read(entry), JSON.stringify(entry.slice(0, 50))).toBeUndefined()
      await blobs.delete(odd)
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', size: 'max', maxLength: 300 }),
          async (text) => {
            expect(await blobs.read(text)).toBeUndefined()
            await blobs.delete([text])
          },
        ),
        { numRuns: 50 },
      )
      expect(await keysOf(blobs)).toEqual([key])
      expectSame(await readAll(blobs, key), bytesOf(10))
    },
  )
}
