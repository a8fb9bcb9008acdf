import type { Locator } from 'playwright-core';

/** Colours of four bytes each (red, green, blue, opacity), row by row. */
export interface Picture {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** What can be seen of a part of a page. */
export async function pictureOf(part: Locator): Promise<Picture> {
  const png = (await part.screenshot()).toString('base64');
  const picture = await part.page().evaluate(async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const { width, height } = bitmap;
    const pen = new OffscreenCanvas(width, height).getContext('2d');
    pen?.drawImage(bitmap, 0, 0);
    return { data: [...(pen?.getImageData(0, 0, width, height).data ?? [])], width, height };
  }, png);
  return { ...picture, data: Uint8ClampedArray.from(picture.data) };
}

/** How many pixels of a picture have exactly this colour, given as 0xRRGGBB. */
export function pixelsOf({ data }: Picture, colour: number): number {
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!) === colour) count++;
  }
  return count;
}
