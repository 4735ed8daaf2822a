import { crc32, deflateSync } from 'node:zlib'

const width = 400
const height = 600

/** Background, frame and letter colours of each cover, from dark to light. */
const palettes: readonly (readonly [string, string, string])[] = [
  ['#14342b', '#60935d', '#fffcf2'],
  ['#3d1e2c', '#b5446e', '#fdf0ea'],
  ['#1c2541', '#5bc0be', '#f2f7f9'],
  ['#4a2c17', '#c98b4b', '#fff6e6'],
  ['#2b2d42', '#8d99ae', '#edf2f4'],
]

/**
 * Draws a cover for a book without one: title and author in letters of five by seven dots, as a PNG
 * of 400 by 600 pixels. No collection of real covers has a licence that allows shipping them.
 */
export function cover(title: string, author: string): Uint8Array<ArrayBuffer> {
  const pixels = Array.from({ length: height }, () => new Uint8Array(width))
  frame(pixels)
  const [main, ...rest] = title.split(/[;:] /)
  const bottom = write(pixels, main!, 90, sizeFor(main!))
  write(pixels, rest.join(' '), bottom + 20, 3)
  write(pixels, author, 480, 4)
  return png(pixels, palettes[crc32(title) % palettes.length]!)
}

function frame(pixels: readonly Uint8Array[]): void {
  const inset = (position: number, end: number) => Math.min(position, end - 1 - position)
  for (const [y, row] of pixels.entries())
    for (let x = 0; x < width; x++) {
      const edge = Math.min(inset(x, width), inset(y, height))
      if ((edge >= 24 && edge < 28) || edge === 34) row[x] = 1
    }
}

/**
 * The largest size at which the longest word and all lines fit: each letter takes six dots, each
 * line ten.
 */
function sizeFor(text: string): number {
  const longest = Math.max(...text.split(' ').map((word) => word.length))
  for (let size = 8; size > 3; size--) {
    const most = lettersIn(size)
    if (longest <= most && lines(text, most).length * 10 * size <= 330) return size
  }
  return 3
}

function lettersIn(size: number): number {
  return Math.floor((width - 90) / (size * 6))
}

/** Draws centred lines from the top down, and returns where they end. */
function write(pixels: readonly Uint8Array[], text: string, top: number, size: number): number {
  let y = top
  for (const line of lines(text, lettersIn(size))) {
    let x = Math.floor((width - (line.length * 6 - 1) * size) / 2)
    for (const letter of line) {
      draw(pixels, letters[letter] ?? '', x, y, size)
      x += 6 * size
    }
    y += 10 * size
  }
  return y
}

function lines(text: string, most: number): readonly string[] {
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('\u2019', "'")
    .toUpperCase()
  const found: string[] = []
  for (const word of plain.split(' ')) {
    const last = found.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most)
      found[found.length - 1] = `${last} ${word}`
    else found.push(word.slice(0, most))
  }
  return found
}

function draw(
  pixels: readonly Uint8Array[],
  rows: string,
  offset: number,
  top: number,
  size: number,
): void {
  for (const [row, digit] of [...rows].entries())
    for (let column = 0; column < 5; column++) {
      if (((Number.parseInt(digit, 32) >> (4 - column)) & 1) === 0) continue
      for (let y = 0; y < size; y++)
        pixels[top + row * size + y]?.fill(2, offset + column * size, offset + (column + 1) * size)
    }
}

/** Seven rows of five dots for each letter: one base-32 digit per row. */
const letters: Readonly<Record<string, string>> = {
  A: 'ehhvhhh',
  B: 'uhhuhhu',
  C: 'ehggghe',
  D: 'uhhhhhu',
  E: 'vgguggv',
  F: 'vgguggg',
  G: 'ehgnhhf',
  H: 'hhhvhhh',
  I: 'e44444e',
  J: '72222ic',
  K: 'hikokih',
  L: 'ggggggv',
  M: 'hrllhhh',
  N: 'hpljhhh',
  O: 'ehhhhhe',
  P: 'uhhuggg',
  Q: 'ehhhlid',
  R: 'uhhukih',
  S: 'fgge11u',
  T: 'v444444',
  U: 'hhhhhhe',
  V: 'hhhhha4',
  W: 'hhhllla',
  X: 'hha4ahh',
  Y: 'hha4444',
  Z: 'v1248gv',
  0: 'ehjlphe',
  1: '4c4444e',
  2: 'eh1248v',
  3: 'v2421he',
  4: '26aiv22',
  5: 'vgu11he',
  6: '68guhhe',
  7: 'v124888',
  8: 'ehhehhe',
  9: 'ehhf12c',
  '.': '00000cc',
  ',': '0000c48',
  "'": '4480000',
  '-': '000e000',
  '!': '4444404',
  '?': 'eh12404',
  '&': '8kk8lid',
}

/** Four colours, two bits a pixel (PNG, third edition, §11.2). */
function png(pixels: readonly Uint8Array[], colours: readonly string[]): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([2, 3], 8)
  const palette = Buffer.from(colours.map((colour) => colour.slice(1)).join(''), 'hex')
  const rows = Buffer.concat(pixels.map(packed))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return new Uint8Array(
    Buffer.concat([
      signature,
      chunk('IHDR', header),
      chunk('PLTE', palette),
      chunk('IDAT', deflateSync(rows, { level: 9 })),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

/** A row without a filter, four pixels per byte. */
function packed(row: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + row.length / 4)
  for (let x = 0; x < row.length; x += 4)
    bytes[1 + x / 4] = (row[x]! << 6) | (row[x + 1]! << 4) | (row[x + 2]! << 2) | row[x + 3]!
  return bytes
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
