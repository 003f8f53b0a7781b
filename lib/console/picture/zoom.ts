// The steps of the zoom of a picture. Pure.
const steps = [0.1, 0.17, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.6, 2] as const;

/** Below this zoom nobody can read what is small: the labels of edges, types and parts are left out. */
export const labelsZoomMin = 0.5;

export const zoomIn = (zoom: number): number => steps.find((step) => step > zoom + 0.001) ?? zoom;
export const zoomOut = (zoom: number): number => steps.findLast((step) => step < zoom - 0.001) ?? zoom;

/** The largest step at which the whole width is in sight. */
export const fitZoom = (pictureWidth: number, spaceWidth: number): number =>
  steps.findLast((step) => step <= 1 && step * pictureWidth <= spaceWidth) ?? steps[0];

/** As a picture is shown first: whole, as long as it can be read. */
export const firstZoom = (pictureWidth: number, spaceWidth: number): number =>
  Math.max(labelsZoomMin, fitZoom(pictureWidth, spaceWidth));
