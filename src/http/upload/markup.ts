const space = '[\\t\\n\\f\\r ]'
const tagNames =
  'html|head|body|script|iframe|frameset|object|embed|svg|math|style|title|link|meta|base|form|img|video|audio|h1|div|font|table|a|b|br|p'
const markupPattern = new RegExp(
  `^${space}*<(?:!doctype|!--|\\?|%|(?:[a-z]+:)?(?:${tagNames})(?:[\\t\\n\\f\\r />]|$))`,
  'i',
)
const mailPattern =
  /^(?:[a-z][a-z\d-]*:[^\n]*\n(?:[\t ][^\n]*\n)*)*?content-type:[\t \r\n]*(?:multipart\/|text\/html|application\/xhtml)/i
const scriptPattern = /<script[\t\n\f\r />]/i
const byteOrderMarkPattern = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/

/**
 * Do the bytes start like HTML, SVG, other XML, a template or MHTML, which a browser could run as a
 * page? After the MIME Sniffing Standard §7.1, with more names, and also for UTF-16.
 */
export function startsWithMarkup(head: Uint8Array): boolean {
  // UTF-16 has NULs between the characters of markup.
  const text = latin1(head).replace(byteOrderMarkPattern, '').replaceAll('\0', '')
  return markupPattern.test(text) || mailPattern.test(text)
}

/** Do the bytes have a script element? In binary content it is a sign of a polyglot file. */
export function containsScript(head: Uint8Array): boolean {
  return scriptPattern.test(latin1(head).replaceAll('\0', ''))
}

/** Are the bytes text, without a "binary data byte" (MIME Sniffing Standard §3), or UTF-16? */
export function isText(head: Uint8Array): boolean {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  return isUtf16 || head.every((byte) => byte > 0x1f || isTextControl(byte))
}

/** Tab, line feed, form feed, carriage return, escape. */
function isTextControl(byte: number): boolean {
  return byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x1b
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
